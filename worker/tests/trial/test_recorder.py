"""What was collected is written in batches that the backend accepts, and the end of a trial comes last."""

from pathlib import Path

import pytest
from ngxlab_contracts.telemetry import MAX_EVENTS, MAX_FRAMES, Batch, Frame, TrialEnd
from ngxlab_worker.collectors import Sample
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.uplink.spool import Spool
from tests.support.specs import trial_spec


def test_what_is_too_long_for_a_batch_becomes_several(tmp_path: Path) -> None:
    spool = Spool(tmp_path, trial_spec().trial_id)
    recorder = Recorder(spool, HostClock.anchored_now(), lambda: 0, lambda: None)
    frames = [Frame(layout=0, t_us=number, took_us=1, values=[1.0]) for number in range(2 * MAX_FRAMES + 1)]
    recorder.sample(Sample(frames=frames, new_layouts=[], notes=[]))
    for _ in range(MAX_EVENTS):
        recorder.note("info", "x", "y")
    recorder.end("completed", "ok", "")
    batches = [Batch.model_validate_json(spool.read(seq)) for seq in spool.pending()]
    spool.close()
    assert [len(batch.frames) for batch in batches] == [MAX_FRAMES, MAX_FRAMES, 1, 0]
    assert [frame for batch in batches for frame in batch.frames] == frames
    events = [event for batch in batches for event in batch.events]
    assert len(events) == MAX_EVENTS + 1
    assert [event for event in events if isinstance(event, TrialEnd)] == events[-1:]
    assert all(len(batch.events) <= MAX_EVENTS for batch in batches)


def test_readings_are_collected_for_as_long_as_nobody_watches(tmp_path: Path) -> None:
    spool, now_us, collect_s = Spool(tmp_path, trial_spec().trial_id), [0], [5.0]
    clock = HostClock.anchored_now()
    recorder = Recorder(spool, clock, lambda: 0, lambda: None, lambda: collect_s[0])

    def tick(times: int) -> int:
        """Read once a second, with some jitter; how many batches that makes."""
        before = spool.next_seq
        for _ in range(times):
            now_us[0] += 1_000_000
            recorder.sample(Sample(frames=[Frame(layout=0, t_us=now_us[0], took_us=1, values=[1.0])]))
            recorder.pulse()
        return spool.next_seq - before

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HostClock, "now_us", lambda _: now_us[0] + now_us[0] // 1_000_000 % 2 * 3_000)
        assert tick(20) == 4
        assert tick(2) == 0
        recorder.phase("cooldown")
        recorder.flush()  # what happens in a trial is told at once
        assert spool.next_seq == 6
        assert tick(4) == 0
        collect_s[0] = 0  # somebody watches
        assert tick(3) == 3
    batches = [Batch.model_validate_json(spool.read(seq)) for seq in spool.pending()]
    spool.close()
    assert [len(batch.frames) for batch in batches] == [5, 5, 5, 5, 2, 5, 1, 1]
