"""What trials leave in the backend's records, and what they must not leave on the host."""

import re
import threading
from collections.abc import Callable

from ngxlab_contracts.telemetry import NginxTotal, StreamResult
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import processes_in
from tests.support.records import TrialRecord


def result_of(record: TrialRecord, stream: str | None = None) -> StreamResult:
    """The result of a stream, or of the trial's only one."""
    results = [event for event in record.events if isinstance(event, StreamResult)]
    (found,) = [result for result in results if stream in {None, result.stream}]
    return found


def requests_of(record: TrialRecord, stream: str | None = None) -> int:
    """As read from wrk's memory; from its report where a busy machine did not read its end, which the result says."""
    result = result_of(record, stream)
    if result.live_unavailable_reason is None:
        assert result.live_requests is not None
        return result.live_requests
    assert re.search("could not be read|counts were read", str(result.live_unavailable_reason))
    assert result.printed is not None
    return result.printed.requests


def nginx_total(record: TrialRecord) -> int:
    (total,) = [event for event in record.events if isinstance(event, NginxTotal)]
    assert total.requests is not None
    return total.requests


def assert_nginx_agrees(record: TrialRecord, counted: int) -> None:
    """nginx has served what the generators counted, to 1 %, and what was under way when they ended."""
    under_way = sum(stream.connections for stream in record.spec.streams)
    assert 0.99 * counted <= nginx_total(record) <= 1.01 * counted + under_way


def artefacts(record: TrialRecord) -> dict[str, str]:
    return {event.name: event.text for event in record.events if event.kind == "artefact"}


def assert_completed(record: TrialRecord) -> None:
    assert record.end is not None
    assert (record.end.outcome, record.end.code) == ("completed", "ok"), record.end.reason


def assert_nothing_left(agent: Agent) -> None:
    assert processes_in(agent.settings.folder) == []
    assert list(agent.settings.trials_root.iterdir()) == []


def when(upstream: FakeBackend, condition: Callable[[], object], action: Callable[[], None]) -> threading.Thread:
    """Do ``action`` as soon as ``condition`` holds: the trial itself needs the main thread."""

    def run() -> None:
        upstream.wait_for(condition)
        action()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
