"""What the error log of nginx says."""

from dataclasses import replace

from analysis import builders
from analysis.check_results import results_of
from analysis.scenario import Scenario
from ngxlab_contracts.trials import STATUS_LOCATION, UNCOUNTED


def test_what_nginx_logged_is_told_once() -> None:
    scene = Scenario(extra=[builders.note("nginx-alert", "1 times in nginx's error log: [alert]")])
    assert results_of(scene.build())["measurement-degraded"].severity == "pass"


def test_an_nginx_without_stub_status_has_logged_nothing_and_ran_what_was_intended() -> None:
    record = Scenario(extra=[builders.note(UNCOUNTED, "nginx has no stub_status module")]).build()
    server = f"http {{ server {{ listen 127.0.0.1:@@status_port@@; {STATUS_LOCATION} }} }}"
    kept = server.replace("@@status_port@@", "8081").replace(STATUS_LOCATION, "")
    events = [event for event in record.events if event.kind != "artefact" or event.name != "nginx.conf"]
    record = replace(
        record,
        spec=record.spec.model_copy(update={"nginx": record.nginx.model_copy(update={"config": server})}),
        events=[*events, builders.artefact("nginx.conf", kept)],
    )
    results = results_of(record)
    assert (results["nginx-log"].severity, results["config-live"].severity) == ("pass", "pass")
    assert "no stub_status" in results["measurement-degraded"].message
    unnoted = [event for event in record.events if event.kind != "note"]
    assert results_of(replace(record, events=unnoted))["config-live"].severity == "error"


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
