"""``make soak``: kill -9 of any process at random moments of runs, and checks of what must hold nevertheless.

The short form, with few kills, is a test (e2e/test_storm.py).
"""

import argparse
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ngxlab_worker.trial.punctuality import TOLERATED_US

from scripts.stack.processes import ProcessId
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack, running_stack

PLAN = {"blocks": 2, "warmup_s": 0, "measure_s": 2, "cooldown_s": 0}
MAX_PAUSE_S = 4.0


@dataclass
class Storm:
    """Kills one process after another. ``seed`` determines moments and victims."""

    stack: Stack
    seed: int
    killed: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def blow(self, kills: int) -> None:
        """Start runs and kill processes. Raises AssertionError that says what was left over, lost or mixed up."""
        run_id = self._new_run()
        while self.killed.total() < kills:
            self._pause(self._random.uniform(0.05, MAX_PAUSE_S))
            self._kill_one()
            if self._ended(run_id):
                self._judge(run_id)
                run_id = self._new_run()
        wait_until(lambda: self._ended(run_id), "the run's end", 240)
        self._judge(run_id)

    def _new_run(self) -> str:
        run_id: str = insist(lambda: self.stack.start_run(**PLAN))
        return run_id

    def _ended(self, run_id: str) -> bool:
        return insist(lambda: self.stack.run(run_id))["finished_at"] is not None

    @staticmethod
    def _pause(seconds: float) -> None:
        """Sleep until the random moment of the next kill; this waits for no condition."""
        time.sleep(seconds)

    def _kill_one(self) -> None:
        victims: defaultdict[str, list[Process]] = defaultdict(list)
        for name, process in self._victims():
            victims[name].append(process)
        if victims:  # each kind is equally likely, however many processes it has
            name = self._random.choice(sorted(victims))
            self.killed[name] += 1
            self._random.choice(victims[name]).kill()

    def _victims(self) -> Iterator[tuple[str, "Process"]]:
        """All descendants of supervisord: services, pool, sandboxes, nginx, wrk."""
        supervisor = ProcessId.read(self.stack.data / "run" / "supervisord.pid")
        if supervisor is None:
            raise AssertionError("supervisord itself has ended")
        todo = [supervisor.pid]
        while todo:
            for child in _children(todo.pop()):
                todo.append(child.pid)
                yield child.name, child

    def _judge(self, run_id: str) -> None:
        """Check what must hold at the end of a run, whatever was killed meanwhile."""
        run = insist(lambda: self.stack.run(run_id))
        self.ends[f"{run['state']} {run['state_code'] or ''}".strip()] += 1
        assert run["state"] == "completed" or (run["state"] == "failed" and run["state_reason"]), run
        completed = [trial for trial in run["trials"] if trial["state"] == "completed"]
        positions = Counter(trial["position"] for trial in completed)
        assert max(positions.values(), default=1) == 1, f"a position was measured twice: {positions}"
        if run["state"] == "completed":
            assert len(positions) == run["plan"]["trials"]
        for trial in run["trials"]:
            self._judge_leftovers(trial["id"])
        self._judge_data(run_id)

    def _judge_leftovers(self, trial_id: str) -> None:
        wait_until(lambda: not self.stack.processes_of_trial(trial_id), f"the end of trial {trial_id}'s processes", 30)
        wait_until(lambda: not self.stack.trial_folder(trial_id).exists(), f"the end of trial {trial_id}'s folder", 30)

    def _judge_data(self, run_id: str) -> None:
        """Check that each completed trial has exactly its own data: three independent counts of its requests agree."""
        report = insist(lambda: self.stack.api("GET", f"/runs/{run_id}/report"))
        for trial in report["trials"]:
            if trial["trial"]["state"] == "completed":
                judge_summary(trial["summary"])


def judge_summary(summary: Any) -> None:
    """Check a summary. On an overloaded machine a trial may be late, but a note must say so."""
    codes = {note["code"] for note in summary["notes"]}
    assert summary["usable"], summary["unusable_reason"]
    assert summary["window_s"] >= PLAN["measure_s"]
    assert summary["window_s"] <= PLAN["measure_s"] + TOLERATED_US / 1e6 or "late-end" in codes, summary["window_s"]
    assert summary["accounting"]["max_disagreement_percent"] < 1, summary["accounting"]
    assert summary["sampling"]["missing"] == 0 or "late-readings" in codes, summary["sampling"]


@dataclass(frozen=True)
class Process:
    pid: int
    name: str

    def kill(self) -> None:
        found = ProcessId.of(self.pid)
        if found is not None:
            found.send(signal.SIGKILL)


def insist(ask: Callable[[], Any], seconds: float = 60) -> Any:
    """The answer of a server that may just have been killed; repeated until it answers."""
    answers: list[Any] = []

    def asked() -> bool:
        try:
            answers.append(ask())
        except OSError:
            return False
        return True

    wait_until(asked, "an answer of the backend", seconds)
    return answers[0]


def _children(pid: int) -> list[Process]:
    try:
        pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [Process(int(child), Path(f"/proc/{child}/comm").read_text().strip()) for child in pids]
    except OSError:
        return []  # it has ended meanwhile


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    arguments = parser.parse_args()
    with running_stack() as stack:
        storm = Storm(stack, arguments.seed)
        sys.stdout.write(f"seed {arguments.seed}\n")
        storm.blow(arguments.kills)
    sys.stdout.write(f"killed: {dict(storm.killed)}\nruns ended: {dict(storm.ends)}\n")
    sys.stdout.write("nothing left over, nothing mixed up\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
