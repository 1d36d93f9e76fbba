"""Several hosts: a 2 x 2 matrix with two streams through a backend, and a link that is cut in the middle."""

from collections.abc import Iterator
from typing import Any

import pytest
from fleet import Lab, running_lab

from scripts.stack.waiting import wait_until
from scripts.testbed.netns import why_unavailable

pytestmark = pytest.mark.skipif(why_unavailable() is not None, reason=str(why_unavailable()))

DEFINITION: dict[str, Any] = {
    "question": "Does keeping connections to the backend alive pay, and with how many workers?",
    "factors": [
        {
            "key": "upstream",
            "label": "Connections to the backend",
            "levels": [
                {"key": "fresh", "label": "fresh", "variables": {"pool": "", "header": "close"}},
                {"key": "kept", "label": "kept", "variables": {"pool": "keepalive 32;", "header": ""}},
            ],
        },
        {
            "key": "workers",
            "label": "Workers",
            "levels": [
                {"key": "one", "label": "1", "variables": {"workers": 1}},
                {"key": "two", "label": "2", "variables": {"workers": 2}},
            ],
        },
    ],
    "baseline": "fresh.one",
    "nginx": {
        "workers": "{{ workers }}",
        "worker_connections": 1024,
        "http": 'upstream app {\n    {{ servers("app") }}\n    {{ pool }}\n}',
        "server": "location / {\n    proxy_pass http://app;\n    proxy_http_version 1.1;\n"
        '    proxy_set_header Connection "{{ header }}";\n}',
    },
    "upstream_servers": [{"key": "app", "slot": "upstream-host", "server": 'location / { return 200 "OK\\n"; }'}],
    "streams": [
        {"key": "a", "slot": "gen-a", "threads": 1, "connections": 8},
        {"key": "b", "slot": "gen-b", "threads": 1, "connections": 8},
    ],
    "plan": {"blocks": 1, "warmup_s": 0, "measure_s": 3, "cooldown_s": 0},
    "thresholds": ["errors_percent < 1"],
}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with running_lab() as running:
        yield running


def _start(lab: Lab, **plan: Any) -> str:
    definition = {**DEFINITION, "plan": {**DEFINITION["plan"], **plan}}
    experiment = lab.stack.api("POST", "/experiments", {"name": "Fleet", "definition": definition})
    hosts = lab.host_ids()
    slots = {"target": "target", "gen-a": "gen-a", "gen-b": "gen-b", "upstream-host": "upstream"}
    body = {"hosts": {slot: hosts[name] for slot, name in slots.items()}}
    run_id: str = lab.stack.api("POST", f"/experiments/{experiment['id']}/runs", body)["id"]
    return run_id


def test_a_matrix_with_two_streams_runs_on_four_hosts(lab: Lab) -> None:
    run_id = _start(lab)
    run = lab.stack.wait_for_end(run_id, seconds=120)
    assert run["state"] == "completed", run["state_reason"]
    report = lab.stack.api("GET", f"/runs/{run_id}/report")
    assert {trial["trial"]["arm"] for trial in report["trials"]} == {"fresh.one", "fresh.two", "kept.one", "kept.two"}
    for trial in report["trials"]:
        summary = trial["summary"]
        assert summary["usable"], summary["unusable_reason"]
        assert [stream["stream"] for stream in summary["streams"]] == ["a", "b"]
        assert all(stream["requests"] > 0 for stream in summary["streams"])
        assert summary["accounting"]["max_disagreement_percent"] < 1
        assert summary["start_spread_us"] < 20_000 or _late_hosts(summary), (
            "the streams began apart, and nobody was late"
        )
    assert report["outcome"] == "pass", report["thresholds"]
    assert [len(lab.fleet.processes(host)) > 0 for host in lab.fleet.hosts] == [True] * 4


@pytest.mark.timeout(480)  # a host may be silent for two and a half minutes before its trial is given up
def test_a_cut_link_ends_the_trial_with_a_reason_and_the_run_goes_on_when_it_returns(lab: Lab) -> None:
    run_id = _start(lab, measure_s=8)
    trial_id = lab.stack.trial_in(run_id, "measuring")
    lab.fleet.cut("gen-a")
    try:
        wait_until(lambda: _trial(lab, run_id, trial_id)["state"] == "lost", "the trial given up", seconds=240)
        assert "gen-a" in str(_trial(lab, run_id, trial_id)["reason"])
        wait_until(lambda: "gen-a" in str(lab.stack.run(run_id)["progress"]["waiting_for"]), "waiting for gen-a", 30)
    finally:
        lab.fleet.restore("gen-a")
    run = lab.stack.wait_for_end(run_id, seconds=180)
    assert run["state"] == "completed", run["state_reason"]
    # The host still has its data: the trial goes on where it was, unless it has been repeated meanwhile.
    first = _trial(lab, run_id, trial_id)
    attempts = [one for one in run["trials"] if (one["arm"], one["block"]) == (first["arm"], first["block"])]
    assert [one["state"] for one in attempts].count("completed") == 1, attempts
    assert {one["state"] for one in attempts} <= {"completed", "lost"}


def _late_hosts(summary: Any) -> set[str]:
    """A busy machine may release its streams late, but never silently."""
    return {note["host"] for note in summary["notes"] if note["code"] == "late-start"} & {"gen-a", "gen-b"}


def _trial(lab: Lab, run_id: str, trial_id: str) -> Any:
    return next(trial for trial in lab.stack.run(run_id)["trials"] if trial["id"] == trial_id)
