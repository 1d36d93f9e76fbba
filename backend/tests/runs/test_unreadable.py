"""What is stored of a run or a trial cannot be read: it ends, says why, and nothing is tried for ever."""

import json
from typing import Any
from uuid import UUID

from harness import Agent, Backend, Coordinator, english
from ngxlab.runs.models import TrialHost
from ngxlab.runs.patience import MOST_OF_ONE_CAUSE
from services import wait_until
from sqlalchemy import text, update
from sqlalchemy.ext.asyncio import AsyncSession

SPOIL_DEFINITION = text(
    "UPDATE experiment_version SET definition = '{}' WHERE id = (SELECT experiment_version_id FROM run WHERE id = :run)"
)


def _spoil_definition(backend: Backend, run: dict[str, Any]) -> None:
    async def work(session: AsyncSession) -> None:
        await session.execute(SPOIL_DEFINITION, {"run": run["id"]})

    backend.operator(work)


def _spoil_spec(backend: Backend, trial_id: str) -> None:
    async def work(session: AsyncSession) -> None:
        await session.execute(update(TrialHost).where(TrialHost.trial_id == UUID(trial_id)).values(spec={}))

    backend.operator(work)


def _begun(backend: Backend) -> tuple[dict[str, Any], Agent, Coordinator, str]:
    agent, coordinator = backend.agent(), backend.coordinator()
    run = backend.person().run(agent)
    return run, agent, coordinator, coordinator.begin(run["id"])


def _listed(backend: Backend, run: dict[str, Any]) -> dict[str, Any]:
    rows = backend.person().client.get("/runs", params={"experiment_id": run["experiment_id"]}).json()["items"]
    found: dict[str, Any] = next(row for row in rows if row["id"] == run["id"])
    return found


def test_a_run_whose_definition_cannot_be_read_ends_with_that_reason(backend: Backend) -> None:
    run, agent, coordinator, trial_id = _begun(backend)
    agent.whole_trial(coordinator, trial_id)
    _spoil_definition(backend, run)
    agent.beat().raise_for_status()
    step = coordinator.next(run["id"])
    assert (step["kind"], step["run_state"]) == ("finished", "failed")
    listed = _listed(backend, run)
    assert listed["state_code"] == "unreadable"
    assert "cannot be read" in english(listed["state_reason"])


def test_its_live_stream_is_refused_with_that_reason(backend: Backend) -> None:
    """A browser comes back for ever to a stream that breaks off, and never to one that is refused."""
    run, _, _, _ = _begun(backend)
    _spoil_definition(backend, run)
    answer = backend.person().client.get(f"/runs/{run['id']}/live")
    assert (answer.status_code, answer.json()["code"]) == (409, "unreadable")
    assert "cannot be read" in answer.json()["detail"]


def test_a_trial_that_cannot_be_read_is_tried_again_and_not_for_ever(backend: Backend) -> None:
    run, agent, coordinator, trial_id = _begun(backend)
    client = backend.person().client

    def is_lost() -> bool:
        return any(
            (t["id"], t["state"]) == (trial_id, "lost") for t in client.get(f"/runs/{run['id']}").json()["trials"]
        )

    for attempt in range(1, MOST_OF_ONE_CAUSE + 1):
        _spoil_spec(backend, trial_id)
        wait_until(is_lost, "the end of the trial that cannot be read")
        step = coordinator.next(run["id"])
        if attempt < MOST_OF_ONE_CAUSE:
            assert step["kind"] == "trial"
            assert step["trial"]["trial_id"] != trial_id
            trial_id = step["trial"]["trial_id"]
        agent.beat().raise_for_status()
    assert (step["kind"], step["run_state"]) == ("finished", "failed")
    listed = _listed(backend, run)
    assert listed["state_code"] == "unreadable"
    assert f"was lost {MOST_OF_ONE_CAUSE} times" in english(listed["state_reason"])


def test_the_live_stream_of_a_trial_that_cannot_be_read_goes_on(backend: Backend) -> None:
    run, agent, coordinator, trial_id = _begun(backend)
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    _spoil_spec(backend, trial_id)
    with backend.person().client.stream("GET", f"/runs/{run['id']}/live") as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: snapshot"
        states = (json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: "))
        lost = next(run for run in states if any(t["state"] == "lost" for t in run.get("trials", ())))
    assert {t["code"] for t in lost["trials"] if t["state"] == "lost"} == {"unreadable"}
