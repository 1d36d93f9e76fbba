"""nginx's own times and temporary files of whole trials."""

from pathlib import Path
from uuid import UUID

import pytest
from hdrh.histogram import HdrHistogram
from ngxlab_contracts.telemetry import Batch, LatencyInterval, NoteEvent, TemporaryFiles
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.request_times import RequestTimes
from ngxlab_worker.uplink.spool import Spool
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.specs import CONFIG, PROXY_CONFIG, app_server, trial_spec
from tests.support.trials import assert_completed, nginx_total

LOGGED = (
    "log_format ngxlab '$msec $request_time $upstream_response_time $status';"
    " access_log @@folder@@/access.log ngxlab buffer=64k flush=1s;"
)
CLOCK = HostClock.anchored_now()
START_US = CLOCK.now_us() // 1_000_000 * 1_000_000


def logging_spec(config: str) -> TrialSpec:
    """nginx logs its times, but not those of its status page."""
    config = config.replace("access_log off;", LOGGED, 1).replace(
        "@@status_port@@;", "@@status_port@@; access_log off;"
    )
    spec = trial_spec(config=config, measure_s=2.2)
    assert spec.nginx is not None
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"request_times": True})})


def times(record: TrialRecord, measure: str) -> list[LatencyInterval]:
    return [i for i in record.intervals if (i.stream, i.quantity) == ("nginx", measure)]


def test_every_request_is_in_the_interval_in_which_nginx_ended_it(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(logging_spec(CONFIG))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    told = times(record, "request_time")
    # The last connections end after the last instant; all else is in an interval, whenever it was flushed.
    assert sum(i.count for i in told) == pytest.approx(nginx_total(record), rel=0.1)
    assert sum(i.count for i in told) <= nginx_total(record)
    cuts = {(i.t0_us, i.t1_us): i.count for i in record.intervals if i.stream == "main" and i.quantity == "latency"}
    assert {(i.t0_us, i.t1_us) for i in told} <= cuts.keys()
    assert {record.phases["measure"], record.phases["cooldown"]} <= {e for i in told for e in (i.t0_us, i.t1_us)}
    assert times(record, "upstream_time") == []


def test_upstream_times_are_apart(namespaced: Agent, backend: FakeBackend) -> None:
    spec = logging_spec(PROXY_CONFIG)
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})
    record = backend.add(spec.model_copy(update={"nginx": nginx, "upstream_servers": [app_server()]}))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    whole, upstream = times(record, "request_time"), times(record, "upstream_time")
    assert sum(i.count for i in upstream) == sum(i.count for i in whole) > 100


def test_bodies_in_temporary_files_are_counted(namespaced: Agent, backend: FakeBackend) -> None:
    config = PROXY_CONFIG.replace("proxy_http_version 1.1;", "proxy_http_version 1.1; client_body_buffer_size 1k;")
    spec = trial_spec(config=config, stream={"method": "POST", "body_bytes": 4096})
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})
    record = backend.add(spec.model_copy(update={"nginx": nginx, "upstream_servers": [app_server()]}))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    (files,) = [event for event in record.events if isinstance(event, TemporaryFiles)]
    # Requests that were under way at the end are in one count or in both.
    assert files.requests == pytest.approx(nginx_total(record), abs=40)
    assert files.responses == 0
    assert files.log_bytes > 100 * files.requests


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(Spool(tmp_path / "spool", UUID(int=5)), CLOCK, lambda: 0, lambda: None)


def told(tmp_path: Path, recorder: Recorder) -> list[Batch]:
    recorder.flush()
    folder = tmp_path / "spool" / str(UUID(int=5))
    return [Batch.model_validate_json(path.read_bytes()) for path in sorted(folder.glob("*.json"))]


def line(second: float, request_ms: int) -> str:
    return f"{START_US / 1e6 + second:.3f} {request_ms / 1000:.3f} - 200\n"


def test_lines_that_come_late_are_told_afterwards_and_take_no_room(tmp_path: Path, recorder: Recorder) -> None:
    log = tmp_path / "access.log"
    times = RequestTimes(log, CLOCK, recorder)
    for second in range(9):
        with log.open("a") as file:
            file.write(line(second - 0.5, 7))  # each line half a second after its request ended
            if second == 8:
                file.write(line(0.2, 4000) + line(-3, 1) + "1763709")
        times.read(START_US + second * 1_000_000)
    times.finish()

    found = [interval for batch in told(tmp_path, recorder) for interval in batch.intervals]
    starts = [(interval.t0_us - START_US) // 1_000_000 for interval in found]
    assert starts == [0, 1, 2, 3, 4, 0, 5, 6, 7]
    assert [interval.count for interval in found] == [1] * 9
    late = found[5].histogram
    assert late is not None
    assert HdrHistogram.decode(late).get_max_value() == pytest.approx(4_000_000, rel=0.001)
    assert log.stat().st_blocks * 512 <= 8192, "what has been read is cut out"


def test_a_log_of_something_else_is_said_once(tmp_path: Path, recorder: Recorder) -> None:
    log = tmp_path / "access.log"
    log.write_text('127.0.0.1 - - "GET / HTTP/1.1"\n')
    times = RequestTimes(log, CLOCK, recorder)
    for second in range(3):
        times.read(START_US + second * 1_000_000)
    times.finish()
    notes = [event for batch in told(tmp_path, recorder) for event in batch.events if isinstance(event, NoteEvent)]
    assert [note.code for note in notes] == ["request-times-unreadable"]
