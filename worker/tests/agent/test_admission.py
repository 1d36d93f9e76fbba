"""A host runs its own nginx and no other program, whatever the backend asks for."""

from pathlib import Path

import pytest
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.agent.admission import refuse_config_test, refuse_trial
from ngxlab_worker.agent.caps import FILE_NAME
from tests.support.hosts import settings
from tests.support.specs import fleet_trial, trial_spec


def with_binary(spec: TrialSpec, binary: str) -> TrialSpec:
    assert spec.nginx is not None
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"binary": binary})})


def config_test_of(spec: TrialSpec) -> ConfigTestSpec:
    assert spec.nginx is not None
    return ConfigTestSpec(test_id=spec.trial_id, arms=[ArmConfig(arm="a", nginx=spec.nginx)])


@pytest.fixture
def another_nginx(tmp_path: Path) -> Path:
    path = tmp_path / "nginx"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_hosts_own_nginx_is_run(tmp_path: Path) -> None:
    assert refuse_trial(settings(tmp_path, None), trial_spec()) is None
    assert refuse_config_test(settings(tmp_path, None), config_test_of(trial_spec())) is None


@pytest.mark.parametrize("binary", ["/bin/sh", "/nowhere/nginx", "nginx", "/usr/sbin/../sbin/nginx"])
def test_another_program_is_refused(tmp_path: Path, binary: str) -> None:
    spec = with_binary(trial_spec(), binary)
    outcome = refuse_trial(settings(tmp_path, None), spec)
    assert outcome is not None
    assert (outcome.outcome, outcome.code) == ("failed", "unknown-binary")
    assert outcome.reason.startswith(f"{binary} is not an nginx that this host offers")
    assert refuse_config_test(settings(tmp_path, None), config_test_of(spec)) == outcome.reason


def test_the_program_of_an_upstream_server_is_looked_at_too(tmp_path: Path) -> None:
    spec = fleet_trial("127.0.0.1", "127.0.0.1")["upstream"]
    strange = spec.upstream_servers[0].model_copy(update={"binary": "/bin/sh"})
    outcome = refuse_trial(settings(tmp_path, None), spec.model_copy(update={"upstream_servers": [strange]}))
    assert outcome is not None
    assert outcome.code == "unknown-binary"


def test_what_the_owner_names_is_run(tmp_path: Path, another_nginx: Path) -> None:
    spec = with_binary(trial_spec(), str(another_nginx))
    assert refuse_trial(settings(tmp_path, None), spec) is not None
    (tmp_path / FILE_NAME).write_text(f'nginx = ["{another_nginx}"]\n')
    assert refuse_trial(settings(tmp_path, None), spec) is None


def test_a_host_that_may_not_be_a_target_tests_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text('roles = ["generator"]\n')
    assert "target" in str(refuse_config_test(settings(tmp_path, None), config_test_of(trial_spec())))


def test_caps_that_cannot_be_read_refuse_everything(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("nonsense")
    outcome = refuse_trial(settings(tmp_path, None), trial_spec())
    assert outcome is not None
    assert outcome.code == "beyond-caps"
    assert refuse_config_test(settings(tmp_path, None), config_test_of(trial_spec())) == outcome.reason
