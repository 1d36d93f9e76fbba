"""Any process may be killed at any moment: nothing orphaned, nothing lost, and the run says how it ended."""

import time

import pytest
from ngxlab_worker.trial.recorder import TOLERATED_US

from scripts.soak.audit import SHORT_OF_READINGS
from scripts.soak.outage import endured, service_away
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack

SHORT = {"blocks": 1, "warmup_s": 1, "measure_s": 4, "cooldown_s": 0}


def _completed_arms(run: dict[str, list[dict[str, str]]]) -> set[str]:
    return {trial["arm"] for trial in run["trials"] if trial["state"] == "completed"}


@pytest.mark.parametrize("service", ["agent", "coordinator", "backend", "front"])
def test_a_run_survives_the_kill_of_a_service_in_the_middle_of_a_trial(stack: Stack, service: str) -> None:
    run_id = stack.start_run(**SHORT)
    trial_id = stack.trial_in(run_id, "measuring")
    assert stack.processes_of_trial(trial_id)
    stack.kill(service)
    wait_until(lambda: not stack.processes_of_trial(trial_id), "the end of the trial's processes", seconds=30)
    wait_until(lambda: not stack.trial_folder(trial_id).exists(), "the end of the trial's folder", seconds=30)
    wait_until(stack.answers, "the backend's return", seconds=90)
    run = stack.wait_for_end(run_id)
    assert run["state"] == "completed"
    assert _completed_arms(run) == {"mutex-on", "mutex-off", "reuseport"}
    lost = [trial for trial in run["trials"] if trial["state"] == "lost"]
    if service == "agent":
        assert [trial["code"] for trial in lost] == ["agent-restarted"]
    else:
        assert lost == []


def test_killing_the_agent_ends_its_processes_at_once(stack: Stack) -> None:
    run_id = stack.start_run(**SHORT)
    trial_id = stack.trial_in(run_id, "measuring")
    stack.kill("agent")
    wait_until(lambda: not stack.processes_of_trial(trial_id), "the end of the trial's processes", seconds=2)
    stack.api("POST", f"/runs/{run_id}/cancel")
    assert stack.wait_for_end(run_id)["state"] == "cancelled"


def test_cancelling_ends_a_trial_within_two_seconds(stack: Stack) -> None:
    run_id = stack.start_run(**SHORT)
    trial_id = stack.trial_in(run_id, "measuring")
    stack.api("POST", f"/runs/{run_id}/cancel")
    wait_until(lambda: not stack.processes_of_trial(trial_id), "the end of the trial's processes", seconds=2)
    run = stack.wait_for_end(run_id, seconds=10)
    assert run["state"] == "cancelled"
    assert stack.api("GET", f"/runs/{run_id}/report")["analysis"]["partial"] is True
    assert stack.api("GET", f"/trials/{trial_id}/series")["series"]


def test_an_absent_backend_neither_disturbs_a_trial_nor_loses_a_sample(stack: Stack) -> None:
    run_id = stack.start_run(blocks=1, warmup_s=1, measure_s=36, cooldown_s=0)
    trial_id = stack.trial_in(run_id, "measuring")
    stack.supervise("stop", "backend")
    began = time.monotonic()
    # The absence itself is what is tested; its length is the promise that the design makes.
    wait_until(lambda: time.monotonic() - began >= 30, "thirty seconds of absence", seconds=60)
    assert stack.processes_of_trial(trial_id)
    stack.supervise("start", "backend")
    wait_until(stack.answers, "the backend's return", seconds=90)
    wait_until(lambda: _state(stack, run_id, trial_id) == "completed", "the trial's end", seconds=40)
    stack.api("POST", f"/runs/{run_id}/cancel")
    stack.wait_for_end(run_id, seconds=10)
    report = stack.api("GET", f"/runs/{run_id}/report")
    summary = next(t["summary"] for t in report["trials"] if t["trial"]["id"] == trial_id)
    assert summary["usable"], summary["unusable_reason"]
    assert summary["streams"][0]["accounting"]["max_disagreement_percent"] < 1
    said = {note["code"] for note in summary["notes"]}  # a busy machine is late, but never silently
    assert summary["window_s"] >= 36
    assert summary["window_s"] <= 36 + TOLERATED_US / 1e6 or "late-end" in said
    assert summary["sampling"]["missing"] == 0 or said & SHORT_OF_READINGS
    series = stack.api("GET", f"/trials/{trial_id}/series")["series"]
    rate = next(s["points"] for s in series if s["key"] == "requests_per_s")
    window = [(t_s, value) for t_s, value in rate if 0 < t_s <= summary["window_s"]]
    assert len(window) == 36 or "late-readings" in said
    # The intervals fill the window and do not overlap: so together they are all its requests, each once.
    begins = [0.0, *(t_s for t_s, _ in window)]
    counted = sum((t_s - begin_s) * value for begin_s, (t_s, value) in zip(begins, window, strict=False))
    assert counted == pytest.approx(summary["requests"], rel=1e-4)
    assert all(value > 0 for _, value in window)


def test_a_database_that_is_away_costs_no_trial(stack: Stack) -> None:
    """The short form of ``make outage``."""
    assert endured(stack, service_away(stack, "postgres"), 8, blocks=1, measure_s=4) == []


def _state(stack: Stack, run_id: str, trial_id: str) -> str:
    state: str = next(trial["state"] for trial in stack.run(run_id)["trials"] if trial["id"] == trial_id)
    return state
