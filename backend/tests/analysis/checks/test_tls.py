"""TLS handshakes: resumed where that is asked for, failed ones by their reasons."""

from collections.abc import Callable, Mapping

import pytest
from analysis import builders
from analysis.check_results import results_of
from analysis.scenario import Scenario, nginx_columns
from ngxlab.analysis.schemas import CheckResult
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import TlsUse

RESUMPTION, HANDSHAKES = "tls-resumption", "tls-handshakes"
SHARED = "ssl_session_cache shared:s:1m;"
PLAN = OpenLoopSpec(steps=[RateStep(per_s=100, duration_s=1)])


def judged(
    key: str, *, server: str = "", engine: str = "wrk", tls: bool = True, use: Mapping[str, object] | None
) -> CheckResult:
    """A load of 100 connections; nginx accepts 500 a second."""
    plan = {"open_loop": PLAN} if engine == "open-loop" else {}
    stream = StreamSpec.model_validate(
        {"key": "main", "engine": engine, "threads": 2, "connections": 100, "keep_alive": False, "tls": tls} | plan
    )
    config = f"events {{ worker_connections 1024; }} http {{ access_log off; {server} }}"
    extra = [] if use is None else [TlsUse.model_validate({"t_us": builders.T0_US, "failed": {}, **use})]
    scene = Scenario(
        spec=builders.spec(streams=[stream], config=config), nginx=nginx_columns(accepts_per_s=500), extra=extra
    )
    return results_of(scene.build())[key]


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
