"""Which arms of which runs are compared with which."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ngxlab_contracts.sentences import Sentence, fixed, say
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.run_comparison import Side
from ngxlab.analysis.schemas import ArmAnalysis, RunAnalysis, TrialSummary
from ngxlab.analysis.verdict.claims import usable_by_block
from ngxlab.core.errors import FieldProblem, Invalid
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


MOST_RUNS = 8


class Asked(BaseModel, frozen=True):
    """``arms``: ``RUN:ARM`` or ``ARM``. ``baseline``: ``RUN`` or ``RUN:ARM``. ``factors``: keys of differences."""

    runs: Sequence[UUID]
    arms: Sequence[str] = ()
    baseline: str | None = None
    factors: Sequence[str] = ()


@dataclass(frozen=True)
class Selection:
    """``arms``: keys of all arms, with their run and name. ``against``: selected arm -> its baseline; a baseline has
    none. ``baseline`` as in :class:`Asked`."""

    arms: Mapping[str, tuple[LoadedRun, str]]
    selected: Sequence[str]
    against: Mapping[str, str]
    baseline: str


def select(loaded: Sequence[LoadedRun], asked: Asked) -> Selection:
    """The oldest run is the baseline, unless another is asked for. Raises Invalid for an arm or a baseline that is not
    among the runs."""
    every = {run.key_of(arm.key): (run, arm.key) for run in loaded for arm in run.analysis.arms}
    by_run = {str(run.run.id): run for run in loaded}
    baseline = asked.baseline or str(min(loaded, key=lambda one: one.run.created_at).run.id)
    if baseline not in every and baseline not in by_run:
        raise _invalid(
            "baseline", say("{baseline} is neither one of the runs nor one of their arms", baseline=repr(baseline))
        )
    wanted = _wanted(every, asked.arms)
    against = {}
    for key in wanted:
        base = baseline if baseline in every else _counterpart(by_run[baseline], every[key][1])
        if base != key and not (baseline in by_run and every[key][0] is by_run[baseline]):
            against[key] = base
    selected = [key for key in every if key in against or key in against.values()]
    return Selection(every, selected, against, baseline)


def _wanted(every: Mapping[str, tuple[LoadedRun, str]], arms: Sequence[str]) -> list[str]:
    for name in arms:
        if name not in every and name not in {arm for _, arm in every.values()}:
            raise _invalid("arms", say("{name} is no arm of these runs", name=repr(name)))
    return [key for key, (_, arm) in every.items() if not arms or key in arms or arm in arms]


def _counterpart(run: LoadedRun, arm: str) -> str:
    """The arm of the same name, else the run's own baseline."""
    same = next((one.key for one in run.analysis.arms if one.key == arm), run.definition.baseline)
    return run.key_of(same)


def _invalid(field: str, message: str) -> Invalid:
    return Invalid(message, errors=[FieldProblem(field=field, message=message)])
