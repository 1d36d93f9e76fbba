"""Batches on disk: none is lost or stored twice, whichever process is killed."""

import subprocess
import sys
from errno import ENOSPC
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from ngxlab_contracts.telemetry import Batch, NoteEvent, TrialEnd
from ngxlab_worker.uplink.spool import Spool, SpoolBusyError

TRIAL = UUID(int=5)


def batch(seq: int) -> Batch:
    note = NoteEvent(t_us=seq, severity="info", code="test", message=str(seq))
    return Batch(seq=seq, clock_offset_us=0, events=[note])


def last_batch(seq: int) -> Batch:
    return Batch(seq=seq, clock_offset_us=0, events=[TrialEnd(t_us=1, outcome="completed", code="ok", reason="")])


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path, TRIAL)


def reopened(spool: Spool, root: Path) -> Spool:
    spool.close()
    return Spool(root, TRIAL)


def test_batches_wait_until_they_are_acknowledged(spool: Spool, tmp_path: Path) -> None:
    for seq in (1, 2, 3):
        spool.append(batch(seq))
    spool.acknowledge(2)
    assert spool.pending() == [3]
    assert Batch.model_validate_json(spool.read(3)) == batch(3)
    spool = reopened(spool, tmp_path)
    assert (spool.pending(), spool.next_seq) == ([3], 4)


def test_numbers_go_on_after_everything_was_acknowledged(spool: Spool, tmp_path: Path) -> None:
    spool.append(batch(1))
    spool.acknowledge(1)
    spool.acknowledge(1)
    spool = reopened(spool, tmp_path)
    assert (spool.pending(), spool.next_seq, spool.ended) == ([], 2, False)


def test_a_batch_out_of_order_is_refused(spool: Spool) -> None:
    with pytest.raises(ValueError, match="out of order"):
        spool.append(batch(2))


def test_the_end_is_known_after_its_acknowledgement(spool: Spool, tmp_path: Path) -> None:
    spool.append(last_batch(1))
    assert (spool.ended, spool.finished) == (True, False)
    spool.acknowledge(1)
    spool = reopened(spool, tmp_path)
    assert (spool.ended, spool.finished, spool.next_seq) == (True, True, 2)
    spool.remove()
    assert Spool.trials(tmp_path) == []


def test_half_a_batch_is_no_batch(spool: Spool, tmp_path: Path) -> None:
    spool.append(batch(1))
    (tmp_path / str(TRIAL) / "batch.part").write_text('{"seq": 2, "clock')
    spool = reopened(spool, tmp_path)
    assert spool.pending() == [1]
    spool.append(batch(2))
    assert spool.pending() == [1, 2]


@pytest.mark.parametrize("content", ["", '{"seq": 2, "clock', batch(7).model_dump_json()])
def test_damaged_batches_are_dropped_with_what_follows(spool: Spool, tmp_path: Path, content: str) -> None:
    for seq in (1, 2, 3):
        spool.append(batch(seq))
    (tmp_path / str(TRIAL) / "00000002.json").write_text(content)
    assert spool.drop_damaged()
    assert (spool.pending(), spool.next_seq) == ([1], 2)
    assert not spool.drop_damaged()


def _stored(root: Path) -> list[str]:
    return sorted(path.name for path in (root / str(TRIAL)).glob("*.stored"))


@pytest.mark.parametrize("acked", [None, ""])
def test_a_spool_that_forgot_what_is_stored_keeps_what_is_whole(
    spool: Spool, tmp_path: Path, acked: str | None
) -> None:
    for seq in (1, 2, 3, 4):
        spool.append(batch(seq))
    spool.acknowledge(2)
    assert _stored(tmp_path) == ["00000002.stored"]
    (tmp_path / str(TRIAL) / "00000002.stored").unlink()
    if acked is not None:
        (tmp_path / str(TRIAL) / "acked").write_text(acked)
    spool = reopened(spool, tmp_path)
    assert not spool.drop_damaged()
    assert (spool.pending(), spool.next_seq) == ([3, 4], 5)


def test_a_torn_last_batch_leaves_those_before_it(spool: Spool, tmp_path: Path) -> None:
    for seq in (1, 2, 3):
        spool.append(batch(seq))
    spool.acknowledge(1)
    spool.append(last_batch(4))
    (tmp_path / str(TRIAL) / "00000004.end.json").write_bytes(b"")
    spool = reopened(spool, tmp_path)
    assert spool.drop_damaged()
    assert (spool.pending(), spool.next_seq, spool.ended) == ([2, 3], 4, False)


def test_a_receipt_beyond_what_is_known_carries_the_spool_forward(spool: Spool, tmp_path: Path) -> None:
    spool.append(batch(1))
    spool.acknowledge(7)
    assert (spool.pending(), spool.next_seq) == ([], 8)
    spool = reopened(spool, tmp_path)
    assert (spool.pending(), spool.next_seq) == ([], 8)


def test_a_full_disk_can_be_drained(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seq in (1, 2):
        spool.append(batch(seq))
    spool.append(last_batch(3))

    def full(*_: object, **__: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    for name in ("write_text", "write_bytes", "touch", "open"):
        monkeypatch.setattr(Path, name, full)
    for seq in (1, 2, 3):
        spool.acknowledge(seq)
    assert spool.finished
    assert _stored(tmp_path) == ["00000003.end.stored"]


def test_one_process_at_a_time(spool: Spool, tmp_path: Path) -> None:
    with pytest.raises(SpoolBusyError):
        Spool(tmp_path, TRIAL)
    reopened(spool, tmp_path).close()


def test_a_writer_killed_between_writing_and_acknowledging_loses_nothing(tmp_path: Path) -> None:
    trial_id = uuid4()
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom uuid import UUID\n"
        "from ngxlab_contracts.telemetry import Batch\nfrom ngxlab_worker.uplink.spool import Spool\n"
        f"spool = Spool(Path({str(tmp_path)!r}), UUID({str(trial_id)!r}))\n"
        "for seq in range(1, 6): spool.append(Batch(seq=seq, clock_offset_us=0))\n"
        "spool.acknowledge(2)\nos.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    spool = Spool(tmp_path, trial_id)
    assert not spool.drop_damaged()
    assert (spool.pending(), spool.next_seq) == ([3, 4, 5], 6)
    spool.close()
