"""Connections to upstream servers that nginx is asked to keep: silent where it keeps them, else the reason."""

import pytest
from analysis import proxying
from analysis.check_results import results_of
from analysis.proxying import PER_S, config, trial
from ngxlab.analysis.checks.places import place_of
from ngxlab.analysis.schemas import CheckResult

KEY = "upstream-keepalive"
SPEAKING = 'proxy_http_version 1.1; proxy_set_header Connection "";'
CACHE = "keepalive 64;"
WHY: dict[str, tuple[str, str, str, str, str]] = {
    # location, upstream block, configuration of the upstream server, version of nginx, what is said
    "no cache": (SPEAKING, "", "", "nginx/1.22.1", "upstream app has no keepalive"),
    "HTTP/1.0": ('proxy_set_header Connection "";', CACHE, "", "nginx/1.22.1", "speaks HTTP/1.0"),
    "HTTP/1.0 by choice": ("proxy_http_version 1.0;", CACHE, "", "nginx/1.29.7", "speaks HTTP/1.0"),
    "the default header": ("proxy_http_version 1.1;", CACHE, "", "nginx/1.22.1", "Connection: close, its default"),
    "another header": (
        "proxy_http_version 1.1; proxy_set_header connection $http_connection;",
        CACHE,
        "",
        "nginx/1.22.1",
        "Connection: $http_connection",
    ),
    "the servers close": (SPEAKING, CACHE, "keepalive_requests 1;", "nginx/1.22.1", "they close each connection"),
    "few are kept": (SPEAKING, "keepalive 2;", "", "nginx/1.22.1", "keeps 2 idle connections, and has up to 25"),
    "a newer nginx": ("", CACHE, "keepalive_timeout 0;", "nginx/1.29.7", "they close each connection"),
    "nobody knows": (SPEAKING, CACHE, "", "nginx/1.22.1", "does not tell why"),
}


def fault(case: str) -> CheckResult:
    location, group, upstream, version, _ = WHY[case]
    record = trial(config(location=location, group=group), new_per_s=PER_S, upstream=upstream, version=version)
    return results_of(record)[KEY]


SEEN_WITHOUT_READINGS = {KEY: "nothing is asked for"}
RECORDS = {(KEY, "warning"): lambda: fault("no cache")}


@pytest.mark.parametrize("case", WHY)
def test_each_request_opens_a_connection(case: str) -> None:
    result = fault(case)
    assert result.severity == "warning"
    assert WHY[case][-1] in result.message
    assert "accepted 100 new connections for 100 requests" in result.message


@pytest.mark.parametrize(
    ("location", "group", "new", "severity", "said"),
    [
        (SPEAKING, CACHE, 1, "pass", "0.17 new connections for 100 requests"),
        ("", "", PER_S, "pass", "no stream goes where"),
        ("proxy_http_version 1.0;", "keepalive 0;", PER_S, "pass", "no stream goes where"),
    ],
)
def test_silence(location: str, group: str, new: float, severity: str, said: str) -> None:
    result = results_of(trial(config(location=location, group=group), new_per_s=new))[KEY]
    assert (result.severity, said in result.message) == (severity, True), result.message


def test_without_counters_nothing_is_said() -> None:
    result = results_of(trial(config(location=SPEAKING, group=CACHE), counts=False))[KEY]
    assert result.severity == "unavailable"


def test_the_configuration_has_a_place_for_the_load() -> None:
    assert place_of(proxying.config(), "/") is not None
