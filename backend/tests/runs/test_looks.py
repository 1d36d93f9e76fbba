"""A run that goes on is judged and checked while it does, so that whoever looks may end it."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from harness import Agent, Backend, Coordinator, Person, english, frame
from ngxlab.definition.schema.plan import FixedBlocks, Plan, StopRule, UntilDecided, UntilPrecise
from ngxlab.runs.judging import Judging, judging
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.presentation import flags_of
from ngxlab_verdict import Looks
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.sequential import ADDED_ERROR, EARLY_ERROR, added_error
from services import wait_until

EARLY = EARLY_ERROR


def a_trial(block: int, state: str, **more: Any) -> Trial:
    return Trial(id=uuid4(), position=block, block=block, arm="on", attempt=1, state=state, **more)


def judged(
    run_state: str, states: list[str], stop: StopRule | None = None, planned: int = 0, added_to: Sequence[int] = ()
) -> Judging:
    plan = Plan(blocks=planned or len(states), warmup_s=1, measure_s=1, stop=stop or FixedBlocks())
    trials = [a_trial(block, state) for block, state in enumerate(states, start=1)]
    return judging(Run(state=run_state, blocks=len(states), added_to=list(added_to)), plan, trials)


def looks(run_state: str, states: list[str], stop: StopRule | None = None, planned: int = 0) -> Looks | None:
    return judged(run_state, states, stop, planned).looks


DONE = ["completed"] * 7


@pytest.mark.parametrize(
    ("run_state", "states"),
    [("completed", DONE), ("running", DONE), ("failed", [*DONE, "failed"]), ("completed", ["skipped", *DONE])],
)
def test_a_run_that_ended_as_planned_is_judged_once(run_state: str, states: list[str]) -> None:
    assert looks(run_state, states) is None


@pytest.mark.parametrize(
    ("run_state", "states"),
    [
        ("running", [*DONE, "measuring"]),
        ("running", [*DONE, "lost"]),
        ("cancelled", [*DONE, "cancelled"]),
        ("cancelled", [*DONE, "pending"]),
        ("failed", [*DONE[:6], "failed", "pending"]),
        ("completed", [*DONE, "skipped"]),
    ],
)
def test_a_run_that_goes_on_or_ended_early_is_judged_as_one_that_was_looked_at(
    run_state: str, states: list[str]
) -> None:
    assert looks(run_state, states) == Looks(7, EARLY)


@pytest.mark.parametrize(("blocks", "spent"), [(3, ADDED_ERROR), (5, ADDED_ERROR), (6, EARLY), (20, EARLY)])
def test_what_other_looks_may_claim_is_taken_from_the_error_of_the_planned_end(blocks: int, spent: float) -> None:
    done = ["completed"] * blocks
    assert [stage.spent for stage in judged("completed", done).stages] == [spent]
    assert [stage.spent for stage in judged("cancelled", [*done[1:], "cancelled"]).stages] == [0]


DECIDED = UntilDecided(max_blocks=20)


@pytest.mark.parametrize("rule", [UntilPrecise(metric="requests_per_s", half_width_percent=2, max_blocks=20), DECIDED])
def test_a_run_that_its_rule_may_stop_is_looked_at_to_its_end(rule: StopRule) -> None:
    assert looks("completed", DONE, rule, planned=3) == Looks(20, ERROR - ADDED_ERROR)
    assert looks("completed", ["completed"] * 20, rule, planned=3) == Looks(20, ERROR - ADDED_ERROR)


def test_a_rule_that_can_never_stop_changes_nothing() -> None:
    rule = UntilDecided(max_blocks=5)
    assert looks("completed", DONE[:5], rule, planned=2) is None
    assert looks("running", DONE[:4], rule, planned=2) == Looks(4, EARLY)


def test_added_blocks_are_judged_when_all_are_complete_and_what_was_judged_before_stands() -> None:
    under_way = judged("running", [*DONE, "completed", "measuring", "pending"], planned=7, added_to=[10])
    assert [stage.blocks for stage in under_way.stages] == [7]
    assert under_way.unseen == (8, 9, 10)
    assert under_way.looks is None
    over = judged("completed", ["completed"] * 10, planned=7, added_to=[10])
    assert [stage.blocks for stage in over.stages] == [7, 10]
    assert over.unseen == ()
    assert over.stages[-1].spent == pytest.approx(ERROR - added_error(1, 7, 10))
    twice = judged("completed", ["completed"] * 20, planned=7, added_to=[10, 20])
    assert [stage.blocks for stage in twice.stages] == [7, 10, 20]


def test_an_addition_that_ended_early_uses_its_error_and_is_not_judged() -> None:
    ended = judged("completed", ["completed"] * 9, planned=7, added_to=[10])
    assert [stage.blocks for stage in ended.stages] == [7]
    assert ended.unseen == (8, 9)
    replaced = judged("completed", ["completed"] * 12, planned=7, added_to=[13, 12])
    assert [stage.blocks for stage in replaced.stages] == [7, 12]
    assert replaced.stages[-1].spent == pytest.approx(ERROR - added_error(2, 7, 12))
    again = judged("completed", ["completed"] * 20, planned=7, added_to=[20, 10, 20])
    assert [stage.blocks for stage in again.stages] == [7, 10, 20], "the first 20 were given up, or 10 would be fewer"


def test_blocks_within_the_plan_cost_nothing_more() -> None:
    again = judged("completed", DONE, planned=7, added_to=[7])
    assert [(stage.blocks, stage.looks, stage.spent) for stage in again.stages] == [(7, None, EARLY)]
    more = judged("running", [*DONE, "measuring"], DECIDED, planned=5, added_to=[8])
    assert more.looks == Looks(20, ERROR - ADDED_ERROR)
    beyond = judged("completed", ["completed"] * 25, DECIDED, planned=5, added_to=[25])
    assert [(stage.blocks, stage.looks) for stage in beyond.stages] == [
        (20, Looks(20, ERROR - ADDED_ERROR)),
        (25, None),
    ]


def test_flags_are_of_checks_that_warn_or_fail_errors_first() -> None:
    def check(key: str, severity: str, message: str) -> dict[str, Any]:
        return {"key": key, "severity": severity, "title": key, "message": message, "remedy": None}

    first = a_trial(
        1, "completed", checks=[check("a", "warning", "1"), check("b", "pass", "1"), check("c", "warning", "1")]
    )
    second = a_trial(2, "completed", checks=[check("c", "error", "2")])
    third = a_trial(3, "measuring", checks=[check("c", "warning", "3"), check("a", "warning", "3")])
    flags = flags_of([first, second, third, a_trial(4, "pending")])
    assert [(flag.key, flag.severity, flag.message, len(flag.trial_ids)) for flag in flags] == [
        ("c", "error", "2", 3),
        ("a", "warning", "3", 2),
    ]


def detail(person: Person, run_id: str) -> dict[str, Any]:
    result: dict[str, Any] = person.client.get(f"/runs/{run_id}").raise_for_status().json()
    return result


def procedure(person: Person, run_id: str) -> str:
    word: str = person.client.get(f"/runs/{run_id}/report").raise_for_status().json()["analysis"]["procedure"]
    return word


def a_block(agent: Agent, coordinator: Coordinator, run: dict[str, Any]) -> None:
    for _ in run["arms"]:
        agent.whole_trial(coordinator, coordinator.begin(run["id"]))


def test_the_verdict_so_far_is_there_after_each_complete_block_and_gives_way_to_the_last(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, blocks=2)
    assert detail(person, run["id"])["verdict_so_far"] is None
    a_block(agent, coordinator, run)
    wait_until(lambda: detail(person, run["id"])["verdict_so_far"] is not None, "a verdict so far")
    told = english(detail(person, run["id"])["verdict_so_far"])
    assert told.startswith("Not valid: not all planned connections were open, in 3 of 3 trials: ")
    assert told.endswith(
        " (voids throughput and latency). No verdict yet: 1 of 2 blocks; the first interval comes with block 2."
    )
    assert procedure(person, run["id"]) == "any_look"
    a_block(agent, coordinator, run)
    assert coordinator.next(run["id"])["run_state"] == "completed"
    wait_until(lambda: detail(person, run["id"])["headline"] is not None, "the verdict")
    assert detail(person, run["id"])["verdict_so_far"] is None
    assert procedure(person, run["id"]) == "planned_end"


def test_a_run_that_somebody_ended_is_judged_as_one_that_was_looked_at(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, blocks=2)
    a_block(agent, coordinator, run)
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    assert coordinator.next(run["id"])["run_state"] == "cancelled"
    assert procedure(person, run["id"]) == "any_look"
    report = person.client.get(f"/runs/{run['id']}/report").json()
    assert "may be read at any time" in english(report["analysis"]["qualification"])


def test_a_check_fires_while_its_trial_is_measured(backend: Backend) -> None:
    """The generator's memory gave no latencies, which is known long before the trial has ended."""
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, measure_s=60)
    trial_id = coordinator.begin(run["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id, ended=False)
    sent = 3

    def another_reading_flags() -> bool:
        nonlocal sent
        sent += 1
        agent.send(trial_id, sent + 2, frames=[frame(sent)]).raise_for_status()
        return bool(detail(person, run["id"])["flags"])

    wait_until(another_reading_flags, "a flag")
    now = detail(person, run["id"])
    (flag,) = (flag for flag in now["flags"] if flag["key"] == "measurement-degraded")
    assert flag["severity"] == "warning"
    assert flag["trial_ids"] == [trial_id]
    assert next(trial["state"] for trial in now["trials"] if trial["id"] == trial_id) == "measuring"
