"""TLS handshakes: resumed where that is asked for, failed ones by their reasons."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from analysis import builders
from analysis.check_results import results_of
from analysis.checks.test_open_loop import ended, totals
from analysis.scenario import Scenario, nginx_columns
from ngxlab.analysis.schemas import CheckResult
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import StreamResult, TlsUse

RESUMPTION, HANDSHAKES = "tls-resumption", "tls-handshakes"
SHARED = "ssl_session_cache shared:s:1m;"
PLAN = OpenLoopSpec(steps=[RateStep(per_s=100, duration_s=1)])


def judged(
    key: str,
    *,
    server: str = "",
    engine: str = "wrk",
    tls: bool = True,
    use: Mapping[str, object] | None,
    client: Mapping[str, float] | None = None,
    early: int = 0,
) -> CheckResult:
    """A load of 100 connections; nginx accepts 500 a second."""
    plan = {"open_loop": PLAN} if engine == "open-loop" else {}
    stream = StreamSpec.model_validate(
        {"key": "main", "engine": engine, "threads": 2, "connections": 100, "keep_alive": False, "tls": tls}
        | plan
        | ({} if client is None else {"tls_client": client})
    )
    config = f"events {{ worker_connections 1024; }} http {{ access_log off; {server} }}"
    extra = [] if use is None else [TlsUse.model_validate({"t_us": builders.T0_US, "failed": {}, **use})]
    scene = Scenario(
        spec=builders.spec(streams=[stream], config=config), nginx=nginx_columns(accepts_per_s=500), extra=extra
    )
    host = scene.build()
    if client is not None:
        told = ended("main", 6000, 6000, totals(6000, handshakes=6000, handshakes_resumed=5900, early_requests=early))
        host = replace(host, events=[*(one for one in host.events if not isinstance(one, StreamResult)), told])
    return results_of(host)[key]


def unresumed(engine: str = "open-loop") -> CheckResult:
    return judged(RESUMPTION, server=SHARED, engine=engine, use={"full": 6000, "resumed": 0})


def failing(count: int, **more: int) -> CheckResult:
    return judged(HANDSHAKES, use={"full": 6000, "resumed": 0, "failed": {"no shared cipher": count}, **more})


SEEN_WITHOUT_READINGS = {RESUMPTION: "no stream speaks TLS", HANDSHAKES: "no stream speaks TLS"}
VOIDED = {HANDSHAKES: ("throughput", "latency")}
RECORDS: Mapping[tuple[str, str], Callable[[], CheckResult]] = {
    (RESUMPTION, "warning"): unresumed,
    (RESUMPTION, "info"): lambda: judged(RESUMPTION, server=SHARED, use={"full": 101, "resumed": 0}),
    (HANDSHAKES, "error"): lambda: failing(2483),
    (HANDSHAKES, "warning"): lambda: failing(1),
}


@pytest.mark.parametrize(
    ("server", "use", "severity", "said"),
    [
        (SHARED, {"full": 100, "resumed": 5900}, "pass", "100 full and 5,900 resumed handshakes"),
        ("ssl_session_tickets on;", {"full": 6000, "resumed": 0}, "warning", "although ssl_session_tickets asks"),
        ("ssl_session_cache none;", {"full": 6000, "resumed": 0}, "pass", "no stream goes where"),
        ("", {"full": 6000, "resumed": 0}, "pass", "no stream goes where"),
        (SHARED, {"full": 0, "resumed": 0}, "unavailable", "an access_log of the configuration"),
        (SHARED, {"full": None, "resumed": None}, "unavailable", "did not log"),
        (SHARED, None, "unavailable", "did not log"),
    ],
)
def test_resumption(server: str, use: Mapping[str, object] | None, severity: str, said: str) -> None:
    result = judged(RESUMPTION, server=server, use=use)
    assert (result.severity, said in result.message) == (severity, True), result.message


def test_who_does_not_resume_is_said() -> None:
    assert "engine open-loop offers no session" in unresumed().message
    assert "nginx takes none" in unresumed("wrk").message


@pytest.mark.parametrize(("early", "severity"), [(0, "warning"), (3000, "pass")])
def test_early_data_that_nginx_never_took_is_said(early: int, severity: str) -> None:
    """Over TLS 1.2 there is none, whatever ssl_early_data and the load say."""
    client = {"resumed_percent": 100, "early_data_percent": 100}
    result = judged(
        RESUMPTION, server=SHARED, engine="open-loop", use={"full": 100, "resumed": 5900}, client=client, early=early
    )
    assert (result.severity, "as early data" in result.message) == (severity, severity == "warning"), result.message


def test_failed_handshakes_have_their_reason() -> None:
    assert failing(2483).message == "2,483 TLS handshakes failed: no shared cipher (2,483)"
    assert failing(1, unfinished=130).message == (
        "30 TLS handshakes failed: no shared cipher (1); the client closed the connection (29)"
    )


def test_handshakes_that_the_client_left_void_nothing() -> None:
    assert judged(HANDSHAKES, use={"full": 6000, "resumed": 0, "unfinished": 5000}).severity == "warning"


@pytest.mark.parametrize(
    ("tls", "use", "severity"),
    [
        (True, {"full": 6000, "resumed": 0, "unfinished": 101}, "pass"),
        (False, None, "pass"),
        (True, None, "unavailable"),
    ],
)
def test_handshakes_that_end_with_the_load_are_no_failures(
    tls: bool, use: Mapping[str, object] | None, severity: str
) -> None:
    assert judged(HANDSHAKES, tls=tls, use=use).severity == severity
