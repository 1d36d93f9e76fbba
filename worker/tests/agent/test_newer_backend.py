"""Orders of a newer backend: what is only new is ignored, what this agent cannot do is refused with the reason."""

from uuid import uuid4

import pytest
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.protocol import CURRENT
from ngxlab_contracts.trials import NginxSpec, TrialSpec
from ngxlab_contracts.version import VERSION
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.specs import trial_spec

NEWER = f"{CURRENT.major}.{CURRENT.minor + 1}"


class NewerNginx(NginxSpec):
    temper: str = "mild"


class NewerSpec(TrialSpec):
    """With fields that this agent does not know, one of them within another message."""

    nginx: NewerNginx | None
    mood: str = "good"


def newer(**changes: str) -> NewerSpec:
    content = trial_spec(measure_s=0.5).model_dump()
    return NewerSpec.model_validate(content | changes)


def test_unknown_fields_are_ignored_where_the_spec_needs_no_newer_agent(
    namespaced: Agent, backend: FakeBackend
) -> None:
    record = backend.add(newer())
    namespaced.execute(record.spec.trial_id)
    assert record.end is not None
    assert (record.end.outcome, record.refusal) == ("completed", None)


@pytest.mark.parametrize("version", [NEWER, f"{CURRENT.major + 1}.0"])
def test_a_trial_that_needs_a_newer_agent_is_refused_with_both_versions(
    namespaced: Agent, backend: FakeBackend, version: str
) -> None:
    record = backend.add(newer(requires=version))
    namespaced.execute(record.spec.trial_id)
    assert record.refusal is not None
    assert f"needs protocol {version}, and this agent, version {VERSION}, speaks protocol {CURRENT}" in record.refusal
    assert (record.batches, list(namespaced.settings.spool_root.glob("*"))) == ([], [])


def test_a_trial_that_cannot_be_read_is_refused_with_its_field(namespaced: Agent, backend: FakeBackend) -> None:
    spec = trial_spec()
    record = backend.add(spec.model_copy(update={"timing": spec.timing.model_copy(update={"measure_s": -1.0})}))
    namespaced.execute(record.spec.trial_id)
    assert record.refusal is not None
    assert record.refusal.startswith("its field timing.measure_s cannot be read")


def test_a_configuration_test_that_needs_a_newer_agent_is_answered(namespaced: Agent, backend: FakeBackend) -> None:
    nginx = trial_spec().nginx
    assert nginx is not None
    asked = ConfigTestSpec(test_id=uuid4(), arms=[ArmConfig(arm="a", nginx=nginx)], requires=NEWER)
    backend.config_tests[asked.test_id] = asked
    namespaced.run_config_test(asked.test_id)
    failure = backend.config_test_results[asked.test_id].failure
    assert failure is not None
    assert f"needs protocol {NEWER}" in failure
