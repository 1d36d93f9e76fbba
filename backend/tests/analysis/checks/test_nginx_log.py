"""What the error log of nginx says."""

from analysis import builders
from analysis.check_results import results_of
from analysis.scenario import Scenario


def test_what_nginx_logged_is_told_once() -> None:
    scene = Scenario(extra=[builders.note("nginx-alert", "1 times in nginx's error log: [alert]")])
    assert results_of(scene.build())["measurement-degraded"].severity == "pass"


def test_an_expected_death_does_not_hide_another_message() -> None:
    killed = builders.note("nginx-alert", "1 times in nginx's error log: worker process 7 exited on signal 9")
    crashed = builders.note("nginx-alert", "1 times in nginx's error log: worker process 8 exited on signal 11")
    result = results_of(Scenario(extra=[killed, crashed]).build())["nginx-log"]
    assert (result.severity, "and 1 other" in result.message) == ("error", True)


def test_a_crash_is_said_before_a_limit() -> None:
    limit = builders.note("nginx-worker-connections", "9 times in nginx's error log: not enough")
    crashed = builders.note("nginx-alert", "1 times in nginx's error log: worker process 8 exited on signal 11")
    result = results_of(Scenario(extra=[limit, crashed]).build())["nginx-log"]
    assert result.message == f"{crashed.message} (and 1 other messages)"
