"""What happens to data that its trial could not upload."""

from uuid import UUID

import pytest
from ngxlab_contracts.telemetry import Batch, TrialEnd
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.caretaker import Caretaker
from ngxlab_worker.agent.heartbeat import Heart
from ngxlab_worker.agent.this_host import describe_agents_host
from ngxlab_worker.uplink.spool import Spool
from tests.support.fake_backend import FakeBackend
from tests.support.specs import trial_spec


def test_data_that_is_refused_is_dropped_once_the_trial_is_over(namespaced: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec())
    record.refusing = True
    spool = Spool(namespaced.settings.spool_root, record.spec.trial_id)
    with namespaced.client() as client:
        end = TrialEnd(t_us=1, outcome="completed", code="ok", reason="")
        spool.append(Batch(seq=1, clock_offset_us=0, events=[end]))
        spool.close()
        caretaker = Caretaker(namespaced.settings, client, namespaced.shared, lambda: False)
        caretaker.round()
        assert Spool.exists(namespaced.settings.spool_root, record.spec.trial_id)
        record.command = "discard"
        again = Caretaker(namespaced.settings, client, namespaced.shared, lambda: False)
        again.round()
    assert list(namespaced.settings.spool_root.iterdir()) == []


def test_one_trials_error_and_stray_names_keep_no_other_waiting(namespaced: Agent, backend: FakeBackend) -> None:
    root = namespaced.settings.spool_root
    root.mkdir(parents=True)
    (root / "lost+found").mkdir()
    (root / "notes.txt").touch()
    for number in range(8):
        folder = root / str(UUID(int=number))
        folder.mkdir()
        (folder / "lock").mkdir()  # cannot be opened
    record = backend.add(trial_spec())
    spool = Spool(root, record.spec.trial_id)
    spool.append(Batch(seq=1, clock_offset_us=0))
    spool.close()
    with namespaced.client() as client:
        Caretaker(namespaced.settings, client, namespaced.shared, lambda: False).round()
    assert record.end is not None
    assert record.end.code == "agent-restarted"
    assert record.spec.trial_id not in Spool.trials(root)


@pytest.mark.parametrize("kept", [[], [2], [2, 3], [3]])
def test_the_end_is_new_to_a_backend_that_has_more_than_a_power_cut_left(
    namespaced: Agent, backend: FakeBackend, kept: list[int]
) -> None:
    record = backend.add(trial_spec())
    record.batches = [Batch(seq=seq, clock_offset_us=0) for seq in (1, 2, 3)]
    spool = Spool(namespaced.settings.spool_root, record.spec.trial_id)
    for seq in (1, 2, 3):
        spool.append(Batch(seq=seq, clock_offset_us=0))
    spool.close()
    folder = namespaced.settings.spool_root / str(record.spec.trial_id)
    for seq in {1, 2, 3} - set(kept):
        (folder / f"{seq:08d}.json").unlink()
    (folder / "acked").touch()
    with namespaced.client() as client:
        Caretaker(namespaced.settings, client, namespaced.shared, lambda: False).round()
    assert record.end is not None
    assert record.end.code == "agent-restarted"
    assert [batch.seq for batch in record.batches] == list(range(1, len(record.batches) + 1))
    assert not folder.exists()


def test_heartbeats_go_on_beside_a_stray_name_in_the_spool(namespaced: Agent, backend: FakeBackend) -> None:
    (namespaced.settings.spool_root / "stray").mkdir(parents=True)
    with namespaced.client() as client:
        inventory = describe_agents_host(namespaced.settings)
        Heart(namespaced.settings, client, namespaced.shared, namespaced.instance, inventory).beat()
    assert [beat.spooled_trials for beat in backend.heartbeats] == [[]]


def test_heartbeats_say_that_there_is_no_room_for_a_trial(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    with namespaced.client() as client:
        inventory = describe_agents_host(namespaced.settings)
        heart = Heart(namespaced.settings, client, namespaced.shared, namespaced.instance, inventory)
        for free in (1 << 40, 12 << 10):
            monkeypatch.setattr("ngxlab_worker.core.files.free_bytes", lambda _, free=free: free)
            heart.beat()
    said = [beat.disk_trouble for beat in backend.heartbeats]
    assert said == [None, "12 KiB free, and a trial needs 16 MiB"]


def test_no_error_ends_a_loop_of_the_agent(namespaced: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []

    def action() -> None:
        rounds.append(len(rounds))
        if len(rounds) < 3:
            raise (ValueError, OSError)[len(rounds) - 1]("broken")
        namespaced.stop()

    namespaced._repeat(action, lambda: 0)
    assert rounds == [0, 1, 2]
