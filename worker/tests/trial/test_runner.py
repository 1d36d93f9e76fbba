"""What a trial says of its host."""

import hashlib
from pathlib import Path

from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.specs import NGINX, trial_spec


def test_a_trial_reads_anew_what_may_have_changed_since_the_inventory(agent: Agent, backend: FakeBackend) -> None:
    record = backend.add(trial_spec())
    agent.execute(record.spec.trial_id)

    (fingerprint,) = (event for event in record.events if event.kind == "fingerprint")
    assert fingerprint.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert fingerprint.settings["swappiness"] == Path("/proc/sys/vm/swappiness").read_text().strip()
    assert fingerprint.programs[NGINX] == hashlib.sha256(Path(NGINX).read_bytes()).hexdigest()
    assert any(path.endswith("/wrk") for path in fingerprint.programs)
