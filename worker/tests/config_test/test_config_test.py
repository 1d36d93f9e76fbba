"""Configurations tested by this host's real nginx, in the sandbox."""

import shutil
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.config_test import ConfigTestContext, run_config_test
from ngxlab_worker.confinement import default_bounds
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from tests.support.specs import CONFIG

UPSTREAM = "http {\n    upstream pool {\n        @@upstream.slow@@\n    }\n"


def arm(name: str, config: str = CONFIG, binary: str | None = None) -> ArmConfig:
    path = binary or shutil.which("nginx") or "/usr/sbin/nginx"
    return ArmConfig(arm=name, nginx=NginxSpec(binary=path, config=config, workers=2))


def spec(*arms: ArmConfig) -> ConfigTestSpec:
    return ConfigTestSpec(test_id=uuid4(), arms=list(arms))


@pytest.fixture
def context(agent_folder: Path, user: str | None, isolation: Isolation) -> ConfigTestContext:
    return ConfigTestContext(
        agent_folder / "config-tests",
        Sandbox(isolation, resolve_run_as(user)),
        default_bounds(agent_folder),
        lambda: False,
    )


def test_every_arm_has_its_verdict_and_nothing_is_left(context: ConfigTestContext) -> None:
    broken = CONFIG.replace("    access_log off;\n", "    access_log off;\n    nonsense on;\n")
    number = broken.splitlines().index("    nonsense on;") + 1
    result = run_config_test(spec(arm("good"), arm("broken", broken), arm("good-too")), context)
    assert result.failure is None
    assert [(verdict.arm, verdict.accepted) for verdict in result.verdicts] == [
        ("good", True),
        ("broken", False),
        ("good-too", True),
    ]
    (finding,) = result.verdicts[1].findings
    assert (finding.severity, finding.message, finding.line) == ("emerg", 'unknown directive "nonsense"', number)
    assert list(context.root.iterdir()) == []


def test_warnings_of_an_accepted_configuration_are_kept(context: ConfigTestContext) -> None:
    server = "    server { listen 127.0.0.1:@@http_port@@; }\n}\n"
    result = run_config_test(spec(arm("twice", CONFIG.removesuffix("}\n") + server)), context)
    (verdict,) = result.verdicts
    assert verdict.accepted
    assert [finding.severity for finding in verdict.findings] == ["warn"]
    assert "conflicting server name" in verdict.findings[0].message


def test_backends_are_stood_in_for(context: ConfigTestContext) -> None:
    config = CONFIG.replace("http {\n", UPSTREAM, 1).replace('return 200 "OK\\n";', "proxy_pass http://pool;")
    result = run_config_test(spec(arm("proxy", config)), context)
    assert (result.verdicts[0].accepted, result.verdicts[0].findings, result.failure) == (True, [], None)


def test_tls_has_its_certificate(context: ConfigTestContext) -> None:
    served = "        ssl_certificate @@folder@@/tls.crt;\n        ssl_certificate_key @@folder@@/tls.key;\n"
    config = CONFIG.replace("@@http_port@@;\n", "@@http_port@@ ssl;\n" + served)
    secure = arm("tls", config)
    secure = secure.model_copy(update={"nginx": secure.nginx.model_copy(update={"tls": True})})
    result = run_config_test(spec(secure), context)
    assert (result.failure, result.verdicts[0].accepted) == (None, True)
    assert list(context.root.iterdir()) == []


def test_an_unknown_run_variable_is_a_finding(context: ConfigTestContext) -> None:
    (verdict,) = run_config_test(spec(arm("odd", CONFIG + "# @@nonsense@@\n")), context).verdicts
    assert not verdict.accepted
    assert "@@nonsense@@" in verdict.findings[0].message


def test_a_missing_binary_is_the_hosts_failure(context: ConfigTestContext) -> None:
    result = run_config_test(spec(arm("good", binary="/nowhere/nginx")), context)
    assert result.verdicts == []
    assert result.failure == "cannot run /nowhere/nginx: No such file or directory"
    assert list(context.root.iterdir()) == []


def test_a_stopping_agent_gives_up(context: ConfigTestContext) -> None:
    stopped = replace(context, stopping=lambda: True)
    assert run_config_test(spec(arm("good")), stopped).failure == "the agent is stopping"
