"""The uploader goes on whatever goes wrong on its own host."""

from collections.abc import Iterator
from errno import ENOSPC
from pathlib import Path
from typing import NamedTuple

import pytest
from ngxlab_contracts.telemetry import Batch, TrialEnd
from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.uplink.api_client import AgentClient
from ngxlab_worker.uplink.spool import Spool
from ngxlab_worker.uplink.steering import Steering
from ngxlab_worker.uplink.uploader import Uploader
from tests.support.fake_backend import FakeBackend
from tests.support.hosts import wait_until
from tests.support.records import TrialRecord
from tests.support.specs import trial_spec


class Uploading(NamedTuple):
    record: TrialRecord
    client: AgentClient
    spool: Spool


@pytest.fixture
def uploading(backend: FakeBackend, tmp_path: Path) -> Iterator[Uploading]:
    record = backend.add(trial_spec())
    with AgentClient(backend.url, "token") as client:
        yield Uploading(record, client, Spool(tmp_path, record.spec.trial_id))


@pytest.mark.parametrize(
    ("method", "error"),
    [
        (method, error)
        for method in ("acknowledge", "oldest", "read")
        for error in (OSError(ENOSPC, "No space left on device"), RuntimeError("anything"))
    ],
)
def test_an_error_of_the_disk_delays_the_upload_and_does_not_end_it(
    uploading: Uploading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, error: Exception
) -> None:
    record, client, spool = uploading
    spool.append(Batch(seq=1, clock_offset_us=0))
    end = TrialEnd(t_us=1, outcome="completed", code="ok", reason="")
    spool.append(Batch(seq=2, clock_offset_us=0, events=[end]))
    errors, works = [error] * 2, getattr(spool, method)

    def fail_twice(*arguments: int) -> object:
        if errors:
            raise errors.pop()
        return works(*arguments)

    monkeypatch.setattr(spool, method, fail_twice)
    uploader = Uploader(client, spool, Steering(monotonic_us() + 60_000_000), lambda: False)
    uploader.start()
    uploader.join(20)
    assert not uploader.is_alive()
    assert [batch.seq for batch in record.batches] == [1, 2]
    assert not errors
    monkeypatch.undo()
    uploader.close(0)
    assert not Spool.exists(tmp_path, spool.trial_id)


def test_a_backlog_is_sent_in_order_and_without_a_rest_once_the_trial_has_ended(
    uploading: Uploading, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, client, spool = uploading
    count = 40
    for seq in range(1, count):
        spool.append(Batch(seq=seq, clock_offset_us=0))
    uploader = Uploader(client, spool, Steering(monotonic_us() + 600_000_000), lambda: False)
    rests: list[float] = []
    wait = uploader._wake.wait

    def rest(timeout_s: float) -> bool:
        rests.append(timeout_s)
        return wait(timeout_s)

    monkeypatch.setattr(uploader._wake, "wait", rest)
    uploader.start()
    wait_until(lambda: len(record.batches) >= 3)
    assert rests, "it rests between batches while the trial goes on"
    rested = len(rests)
    end = TrialEnd(t_us=1, outcome="completed", code="ok", reason="")
    spool.append(Batch(seq=count, clock_offset_us=0, events=[end]))
    uploader.wake()
    uploader.join(20)
    assert not uploader.is_alive()
    assert [batch.seq for batch in record.batches] == list(range(1, count + 1))
    assert len(rests) <= rested + 1, "nobody is disturbed any more"
    uploader.close(0)
