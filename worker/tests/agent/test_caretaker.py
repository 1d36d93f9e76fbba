"""What happens to data that its trial could not upload."""

from ngxlab_contracts.telemetry import Batch, TrialEnd
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.agent.caretaker import Caretaker
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
