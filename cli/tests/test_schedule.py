"""``ngxlab schedule``: from its creation to its end, on a real server."""

import json

from harness import Backend
from tests.support.caller import Caller


def test_a_schedule_is_made_listed_paused_resumed_and_removed(caller: Caller, lab: Backend) -> None:
    agent = lab.agent()
    experiment = caller.person.experiment()["id"]
    when = ["--every", "mon,thu", "--at", "02:00", "--zone", "Europe/Berlin", "--runs", "5"]
    added = caller.ngxlab("schedule", "add", "--experiment", experiment, "--host", agent.name, *when)
    assert added.returncode == 0, added.stderr
    assert "every Monday and Thursday at 02:00, Europe/Berlin; next 20" in added.stdout
    listed = caller.ngxlab("schedule", "list", "--experiment", experiment, "--json")
    [one] = json.loads(listed.stdout)["schedules"]
    assert (one["state"], one["experiment_id"]) == ("active", experiment)
    assert caller.ngxlab("schedule", "pause", one["id"]).stdout.rstrip().endswith("; paused")
    assert "; next 20" in caller.ngxlab("schedule", "resume", one["id"]).stdout
    assert caller.ngxlab("schedule", "remove", one["id"]).returncode == 0
    assert caller.ngxlab("schedule", "list", "--experiment", experiment).stdout == ""


def test_a_time_that_never_comes_is_a_mistake_that_is_named(caller: Caller, lab: Backend) -> None:
    agent = lab.agent()
    order = ["schedule", "add", "--experiment", caller.person.experiment()["id"], "--host", agent.name, "--at", "12:00"]
    past = caller.ngxlab(*order, "--once", "2020-01-01")
    assert (past.returncode, "never comes" in past.stderr) == (4, True)
    no_day = caller.ngxlab(*order, "--every", "payday")
    assert (no_day.returncode, "weekdays" in no_day.stderr) == (4, True)
