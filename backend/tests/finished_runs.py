"""Finished runs with chosen values, put into the database without an agent: what reads runs needs no load."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from analysis.run_results import TEMPLATE, summary
from harness import Agent, Backend, Person
from ngxlab.core.clock import utcnow
from ngxlab.runs import repository
from ngxlab.runs.models import Run, TrialHost
from sqlalchemy.ext.asyncio import AsyncSession

Rates = Mapping[str, Sequence[float]]
"""Arm -> requests/s of its trials, block by block."""


def finished_run(
    backend: Backend, person: Person, agent: Agent, experiment_id: str, rates: Rates, **asked: Any
) -> dict[str, Any]:
    """A completed run of the experiment's latest version; its p99 falls as the rate rises, its balance is alike."""
    agent.beat()
    body = {"host_id": str(agent.host_id), "seed": 1, **asked}
    started = person.client.post(f"/experiments/{experiment_id}/runs", json=body).raise_for_status().json()

    async def complete(session: AsyncSession) -> None:
        run = await repository.lock_run(session, UUID(started["id"]))
        assert run is not None
        for trial in await repository.trials(session, run.id):
            of = _summary(trial.arm, trial.block, rates[trial.arm][trial.block - 1])
            trial.summary = of.model_copy(update={"trial_id": trial.id}).model_dump(mode="json")
            trial.checks, trial.state, trial.finished_at = [], "completed", utcnow()
            ended = TrialHost(trial_id=trial.id, host_id=agent.host_id, outcome="completed")
            ended.spec = {}
            session.add(ended)
        _end(run)

    backend.operator(complete)
    run: dict[str, Any] = person.client.get(f"/runs/{started['id']}").json()
    person.client.get(f"/runs/{run['id']}/report").raise_for_status()  # stores the verdict, as the end of a run does
    return run


def next_version(person: Person, experiment: dict[str, Any]) -> None:
    """Runs of it do not measure the same thing as those of the first one."""
    plan = experiment["definition"]["plan"] | {"cooldown_s": 1.5}
    body = {"base_version": 1, "definition": experiment["definition"] | {"plan": plan}}
    person.client.put(f"/experiments/{experiment['id']}/definition", json=body).raise_for_status()


def _end(run: Run) -> None:
    run.state, run.state_reason = "completed", None
    run.started_at, run.finished_at = utcnow() - timedelta(minutes=1), utcnow()


def _summary(arm: str, block: int, rate: float) -> Any:
    latency, balance = TEMPLATE.latency, TEMPLATE.balance
    assert latency is not None
    assert balance is not None
    slower = latency.model_copy(update={"p99_us": 1e8 / rate + 10 * block})
    alike = balance.model_copy(update={"cpu_cv": 0.5 + rate % 7 / 1000})
    return summary(arm, block, rate, latency=slower, balance=alike)
