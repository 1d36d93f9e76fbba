"""What perturbations did: summaries, marks, their own checks, and other checks that must not misread them."""

from dataclasses import replace
from typing import Any

import pytest
from analysis import builders, scenario
from analysis.check_results import results_of
from analysis.scenario import Scenario
from ngxlab.analysis.checks.configuration import is_filled_from
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.series.action_marks import ActionMark, ActionMarker, all_marks
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.perturbations import Action, Churn, CpuPressure, Every, PerturbationSpec, Reload, SignalNginx
from ngxlab_contracts.telemetry import ActionEvent, Event
from ngxlab_contracts.trials import DynamicUpstreams

WINDOW_US = builders.T0_US + 2_000_000
CONFIG = "pid @@pid_file@@;\n@@modules@@\nevents {} http { server { listen @@http_port@@; } }\n"
FILLED = "pid /x/nginx.pid;\n\nevents {} http { server { listen 81; } }\n"
GROUP = {"name": "a", "nodes": 2, "endpoint": "upstream.b"}


def action(number: int, t_s: float, took_s: float | None = 0.1, **changes: Any) -> ActionEvent:
    begun_us = WINDOW_US + round(t_s * 1e6)
    values: dict[str, Any] = {"perturbation": "p", "action": "reload", "ok": True} | changes
    ended_us = None if took_s is None else begun_us + round(took_s * 1e6)
    return ActionEvent(t_us=begun_us, ended_us=ended_us, number=number, **values)


def perturbed(*events: ActionEvent, by: Action | None = None, **rest: Any) -> HostRecord:
    planned = PerturbationSpec(key="p", when=Every(every_s=1), action=by or Reload())
    spec = builders.spec(measure_s=30).model_copy(update={"perturbations": [planned]})
    return Scenario(spec=spec, extra=events, **rest).build()


def test_a_summary_counts_and_times_what_was_done() -> None:
    skipped = {"ok": False, "skipped": True}
    record = perturbed(
        action(1, 0, 0.1), action(2, 1, 0.5), action(3, 1.2, 0, **skipped), action(4, 2, 0.3, ok=False, detail="no")
    )
    (summary,) = summarise_trial(builders.trial(record)).actions
    assert (summary.perturbation, summary.action, summary.host) == ("p", "reload", "bench1")
    assert (summary.count, summary.failed, summary.skipped) == (4, 1, 1)
    assert summary.mean_s == pytest.approx(0.3)
    assert summary.max_s == pytest.approx(0.5)


def test_an_interval_counts_once() -> None:
    record = perturbed(action(1, 0, None), action(1, 0, 4))
    (summary,) = summarise_trial(builders.trial(record)).actions
    assert (summary.count, summary.max_s) == (1, 4)


def test_an_action_without_an_end_has_no_duration() -> None:
    (summary,) = summarise_trial(builders.trial(perturbed(action(1, 0, None, ok=False)))).actions
    assert (summary.count, summary.failed, summary.mean_s, summary.max_s) == (1, 1, None, None)


def marks(*events: Event, most: int = 100) -> list[ActionMark]:
    return all_marks("bench1", [*builders.phases(builders.spec()), *events], most)


def test_marks_count_from_the_windows_beginning() -> None:
    (mark,) = marks(action(1, 1.5, 0.25, status=200, detail="OK"))
    assert (mark.t_s, mark.ended_s) == (1.5, 1.75)
    assert (mark.status, mark.detail, mark.host, mark.skipped) == (200, "OK", "bench1", False)


def test_live_and_stored_marks_are_the_same_and_a_later_one_replaces() -> None:
    events = [*builders.phases(builders.spec()), action(1, 1, None), action(1, 1, 2)]
    marker = ActionMarker("bench1")
    live = [mark for event in events for mark in marker.feed([event])]
    assert [mark.ended_s for mark in live] == [None, 3]
    assert marks(*events[-2:]) == live[1:]


def test_many_marks_are_thinned_but_not_the_rare_failures() -> None:
    events = [action(n, n / 10, ok=n != 777) for n in range(1, 1001)]
    found = marks(*events, most=50)
    assert len(found) == 51
    assert [mark.number for mark in found if not mark.ok] == [777]
    assert found == sorted(found, key=lambda mark: mark.t_s)


def test_a_perturbed_trial_in_which_all_went_well_passes() -> None:
    results = results_of(perturbed(action(1, 1), action(2, 11)))
    assert {key for key, result in results.items() if result.severity != "pass"} == {"coordinated-omission"}
    assert "after each of 2 reloads" in results["config-live"].message
    assert "all 2 actions" in results["perturbations"].message


def test_a_reload_that_changed_nothing_is_an_error() -> None:
    results = results_of(perturbed(action(1, 1), action(2, 11, ok=False, detail="2 of 4 are old ones")))
    assert results["config-live"].severity == "error"
    assert "1 of 2 reloads did not replace all workers: 2 of 4 are old ones" in results["config-live"].message
    assert results["config-live"].number == 24
    assert results["perturbations"].severity == "warning"
    assert "p (reload): 1 of 2 failed" in results["perturbations"].message


def test_another_configuration_than_intended_is_an_error() -> None:
    record = perturbed(action(1, 1))
    events = [event for event in record.events if event.kind != "artefact"]
    other = builders.artefact("nginx.conf", record.nginx.config + "\n# added")
    assert results_of(replace(record, events=[*events, other]))["config-live"].severity == "error"
    assert results_of(replace(record, events=events))["config-live"].severity == "unavailable"


@pytest.mark.parametrize(
    ("config", "truncated", "expected"),
    [
        (FILLED, False, True),
        (FILLED.replace("81", "82"), False, True),
        (FILLED.replace("\n\nevents", "\nload_module a.so;\nload_module b.so;\nevents"), False, True),
        (FILLED.replace("events {}", "events { }"), False, False),
        (FILLED + "# more", False, False),
        ("# less" + FILLED, False, False),
        (FILLED[:30], False, False),
        (FILLED[:30], True, True),
        (FILLED[:3], True, True),
        ("other", True, False),
    ],
)
def test_filled_configurations(config: str, *, truncated: bool, expected: bool) -> None:
    assert is_filled_from(config, CONFIG, truncated=truncated) is expected
    assert is_filled_from("events {}", "events {}")
    assert not is_filled_from("events {} ", "events {}")


def test_skipped_and_missing_actions_are_told() -> None:
    skipped = results_of(perturbed(action(1, 1, 3), action(2, 2, 0, ok=False, skipped=True)))["perturbations"]
    assert (skipped.severity, skipped.message) == ("warning", "p (reload): 1 of 2 were skipped")
    missing = results_of(perturbed())["perturbations"]
    assert (missing.severity, missing.message) == ("warning", "p: no action was carried out")


def test_a_note_of_a_perturbation_is_told_once() -> None:
    note = builders.note("perturbation-failed", "p (reload): no")
    record = perturbed(action(1, 1))
    results = results_of(replace(record, events=[*record.events, note]))
    assert results["measurement-degraded"].severity == "pass"


def death(count: int = 1, number: int = 9) -> Event:
    line = f"[alert] 5#5: worker process 7 exited on signal {number}"
    return builders.note("nginx-alert", f"{count} times in nginx's error log: {line}")


def log_severity(by: Action, *notes: Event, ok: bool = True) -> str:
    record = perturbed(action(1, 1, action=by.kind, ok=ok), by=by)
    return results_of(replace(record, events=[*record.events, *notes]))["nginx-log"].severity


def test_a_worker_killed_on_purpose_is_no_surprise_in_the_log() -> None:
    other = builders.note("nginx-alert", "1 times in nginx's error log: could not open file")
    assert log_severity(SignalNginx(signal="KILL"), death()) == "info"
    assert log_severity(SignalNginx(signal="KILL"), death(), other) == "error"
    assert log_severity(Reload(), death()) == "error"


def test_deaths_that_no_perturbation_explains_are_errors() -> None:
    one = SignalNginx(signal="KILL", to="worker")
    assert log_severity(one, death(1)) == "info"
    assert log_severity(one, death(2)) == "error"
    assert log_severity(one, death(1, 11)) == "error"
    assert log_severity(one, death(1), ok=False) == "error"
    assert log_severity(SignalNginx(signal="KILL"), death(4)) == "info"  # all four workers
    assert log_severity(SignalNginx(signal="KILL"), death(5)) == "error"
    assert log_severity(SignalNginx(signal="USR1"), death(1)) == "error"


def test_connections_renewed_by_reloads_are_no_lack_of_keep_alive() -> None:
    reloads = [action(n, n) for n in range(1, 11)]
    columns = scenario.nginx_columns(accepts_per_s=30)
    results = results_of(perturbed(*reloads, nginx=columns))
    assert results["keepalive-requests"].severity == "pass"
    assert "up to 1,000 of them" in results["keepalive-requests"].message
    assert results_of(perturbed(nginx=columns))["keepalive-requests"].severity == "warning"


@pytest.mark.parametrize(
    ("by", "through", "expected"),
    [
        (SignalNginx(signal="KILL"), None, "pass"),
        (SignalNginx(signal="STOP"), None, "warning"),
        (SignalNginx(signal="USR1"), None, "warning"),
        (Churn(group="a"), "file", "pass"),
        (Churn(group="a"), "api", "warning"),
    ],
)
def test_only_what_replaces_workers_renews_connections(by: Action, through: str | None, expected: str) -> None:
    events = [action(n, n, action=by.kind, ok=False) for n in range(1, 11)]
    record = perturbed(*events, by=by, nginx=scenario.nginx_columns(accepts_per_s=30))
    if through is not None:
        upstreams = DynamicUpstreams.model_validate({"through": through, "groups": [GROUP]})
        nginx = record.nginx.model_copy(update={"upstreams": upstreams})
        record = replace(record, spec=record.spec.model_copy(update={"nginx": nginx}))
    assert results_of(record)["keepalive-requests"].severity == expected


def test_pressure_that_was_asked_for_is_no_noise() -> None:
    busy = [(n, labels, value) for n, labels, value in scenario.host_columns() if labels.get("mode") != "user"]
    busy += [("node_cpu_seconds_total", {"cpu": cpu, "mode": "user"}, builders.line(0.6)) for cpu in "01"]
    pressed = perturbed(action(1, 0, 30, action="cpu-pressure"), by=CpuPressure(), host=busy)
    assert results_of(pressed)["noisy-host"].severity == "pass"
    assert results_of(perturbed(action(1, 1), host=busy))["noisy-host"].severity == "warning"


def test_a_drift_under_perturbations_is_only_told() -> None:
    record = perturbed(action(1, 20))
    latency = builders.intervals(record.spec, lambda t_s: [100] * (600 if t_s < 20 else 300))
    assert results_of(replace(record, intervals=latency))["steady"].severity == "info"
