"""How runs of a storm begin: at once, or by a schedule, which must start each of its times once, whoever is killed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from scripts.testbed.stack import Stack

SOON = timedelta(seconds=5)
"""What it may take to make a schedule."""


@dataclass
class Begun:
    """A run, or a schedule that is to start one. ``complaint``: what it did otherwise."""

    how: str
    experiment_id: str
    run_id: str | None = None
    complaint: str | None = None

    def look(self, stack: Stack) -> bool:
        """Whether anybody answered; ``run_id`` and ``complaint`` then say what there is now."""
        if self.how == "by a schedule":
            (schedule,) = stack.api("GET", f"/schedules?experiment_id={self.experiment_id}")["items"]
            runs = stack.api("GET", f"/runs?experiment_id={self.experiment_id}")["items"]  # after what started them
            self._note(schedule, [run["id"] for run in runs])
        return True

    def _note(self, schedule: Any, runs: list[str]) -> None:
        times = schedule["latest"]
        self.run_id = next((time["run_id"] for time in times if time["run_id"]), None)
        outcomes = [time["outcome"] for time in times]
        if outcomes not in ([], ["started"]) or len(runs) > 1 or len(runs) < len(outcomes):
            self.complaint = f"its one time came to {times}, and there are the runs {runs}"
        elif not outcomes and schedule["state"] != "active":
            self.complaint = f"it is {schedule['state']} without a run: {schedule['pause_reason']}"

    def __str__(self) -> str:
        return f"run {self.run_id} of experiment {self.experiment_id}, begun {self.how}"


def at_once(stack: Stack, **plan: object) -> Begun:
    experiment_id = stack.experiment(**plan)
    where = {"host_id": stack.host_id()}
    return Begun("at once", experiment_id, stack.api("POST", f"/experiments/{experiment_id}/runs", where)["id"])


def scheduled(stack: Stack, **plan: object) -> Begun:
    """At the next full minute, by the clock of this machine."""
    experiment_id = stack.experiment(**plan)
    at = (datetime.now(UTC) + SOON).replace(second=0, microsecond=0) + timedelta(minutes=1)
    timing = {"repeats": "once", "time": f"{at:%H:%M}", "zone": "UTC", "on": f"{at:%Y-%m-%d}"}
    body = {"timing": timing, "run": {"host_id": stack.host_id()}}
    stack.api("POST", f"/experiments/{experiment_id}/schedules", body)
    return Begun("by a schedule", experiment_id)
