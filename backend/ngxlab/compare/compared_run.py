"""A run as a comparison needs it: its definition, its analysis and its trials."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from ngxlab_contracts.sentences import Sentence, fixed, say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.run_comparison import Side
from ngxlab.analysis.schemas import ArmAnalysis, RunAnalysis, TrialSummary
from ngxlab.analysis.verdict.usable_trials import usable_by_block
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs import service as runs
from ngxlab.runs.models import Run, definition_of
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import waited
from ngxlab.runs.states import RunState


@dataclass(frozen=True)
class LoadedRun:
    """``label`` names the run in sentences."""

    run: Run
    label: str
    definition: Definition
    analysis: RunAnalysis
    trials: Sequence[TrialSummary]

    @property
    def unusable(self) -> Sentence | None:
        """Why nothing of it can be compared."""
        if not RunState(self.run.state).final:
            return say("it is {state}: runs are compared when they are over", state=fixed(self.run.state))
        return None if any(trial.usable for trial in self.trials) else say("none of its trials is usable")

    def key_of(self, arm: str) -> str:
        return arm_key(self.run.id, arm)

    def side(self, own: ArmAnalysis, *, several: bool, is_baseline: bool) -> Side:
        """``several``: whether arms of more than one name are compared, so that the name is worth saying."""
        label = f"{self.label}, {own.label}" if several else self.label
        named = own.model_copy(update={"key": self.key_of(own.key), "label": label, "is_baseline": is_baseline})
        return Side(str(self.run.id), own.label, named, usable_by_block(self.trials, own.key), self.analysis.checks)


def arm_key(run_id: UUID, arm: str) -> str:
    return f"{run_id}:{arm}"


async def load(session: AsyncSession, run_ids: Sequence[UUID]) -> list[LoadedRun]:
    """Raises NotFound for a run that there is not."""
    found = [await runs.get(session, run_id) for run_id in run_ids]
    loaded = []
    for run, label in zip(found, _labels(found), strict=True):
        results = await analyse(session, run, waited)
        trials = [summary for _, summary in results.trials]
        loaded.append(LoadedRun(run, label, definition_of(run), results.analysis, trials))
    return loaded


def _labels(runs_: Sequence[Run]) -> list[str]:
    """``#3`` within one experiment, else with the experiment's name."""
    if len({run.experiment_id for run in runs_}) == 1:
        return [f"#{run.number}" for run in runs_]
    names = [f"{re.sub(r'[`]', '', run.version.experiment.name)} #{run.number}" for run in runs_]
    return [
        f"{name} ({run.id.hex[:8]})" if names.count(name) > 1 else name for name, run in zip(names, runs_, strict=True)
    ]
