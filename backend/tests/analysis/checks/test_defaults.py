"""Builds of several versions, whose defaults differ where a configuration sets nothing."""

import pytest
from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.checks import check_run
from ngxlab.analysis.schemas import CheckResult, NginxBuild, TrialSummary
from ngxlab.analysis.summary.nginx_defaults import changes, has_changed, left_to_nginx, version_of
from ngxlab.analysis.summary.trial import summarise_trial

KEY = "nginx-defaults"
PROXIES = "events { accept_mutex off; } http { access_log off; server { location / { proxy_pass http://app; } } }"
RECORDS = {(KEY, "warning"): lambda: between(PROXIES, "nginx/1.28.0", "nginx/1.29.7")}


def ran(config: str, version: str) -> TrialSummary:
    inventory = builders.inventory()
    binary = inventory.nginx[0].model_copy(update={"version": version})
    scene = Scenario(spec=builders.spec(config=config), inventory=inventory.model_copy(update={"nginx": [binary]}))
    return summarise_trial(builders.trial(scene.build()))


def between(config: str, *versions: str) -> CheckResult:
    return next(one for one in check_run([ran(config, version) for version in versions]) if one.key == KEY)


SET = PROXIES.replace("server {", "upstream u { keepalive 8; } proxy_http_version 1.1; server {")


@pytest.mark.parametrize(
    ("config", "versions", "severity", "said"),
    [
        (PROXIES, ("nginx/1.29.6", "nginx/1.29.7"), "warning", "keepalive (before 1.29.7: off; since then: 32)"),
        (PROXIES, ("nginx/1.29.7", "nginx/1.31.0"), "pass", "same defaults of what"),
        (PROXIES, ("nginx/1.22.1", "nginx/1.22.1"), "pass", "one version"),
        (PROXIES, ("nginx/1.22.1", "Angie/1.10.0"), "unavailable", "a derivative"),
        (PROXIES, ("1.18.0", "1.22.1"), "warning", "keepalive_requests (before 1.19.10: 100; since then: 1000)"),
        (SET, ("nginx/1.28.0", "nginx/1.29.7"), "pass", "same defaults of what"),
        ("events {} http { access_log off; }", ("nginx/1.28.0", "nginx/1.29.7"), "pass", "same defaults of what"),
    ],
)
def test_versions_are_compared(config: str, versions: tuple[str, ...], severity: str, said: str) -> None:
    result = between(config, *versions)
    assert (result.severity, said in result.message) == (severity, True), result.message


def test_the_table_has_the_latest_first_and_says_what_is_left_to_nginx() -> None:
    versions = [change.version for change in changes()]
    assert versions == sorted(versions, reverse=True)
    sending = "events { accept_mutex on; } http { sendfile on; keepalive_requests 9; output_buffers 1 32k; }"
    assert left_to_nginx(sending) == ["sendfile_max_chunk"]
    assert left_to_nginx(sending.replace("sendfile on", "sendfile off")) == []


def test_versions() -> None:
    def build(version: str) -> NginxBuild:
        return NginxBuild(path="/x", version=version, sha256="")

    assert version_of(build("nginx/1.29.7 (built by somebody)")) == (1, 29, 7)
    assert version_of(build("Tengine/2.3.2 (nginx/1.17.3)")) is None
    assert version_of(None) is None
    assert [has_changed("keepalive", version) for version in ((1, 29, 6), (1, 29, 7), None)] == [False, True, False]
