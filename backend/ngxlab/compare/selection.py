"""Which arms of which runs are compared with which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import BaseModel

from ngxlab.compare.compared_run import LoadedRun
from ngxlab.core.errors import FieldProblem, Invalid

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
    every = {run.key_of(arm.key): (run, arm.key) for run in loaded for arm in run.definition.arms}
    by_run = {str(run.run.id): run for run in loaded}
    baseline = asked.baseline or str(min(loaded, key=lambda one: one.run.created_at).run.id)
    if baseline not in every and baseline not in by_run:
        raise _invalid("baseline", f"{baseline!r} is neither one of the runs nor one of their arms")
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
            raise _invalid("arms", f"{name!r} is no arm of these runs")
    return [key for key, (_, arm) in every.items() if not arms or key in arms or arm in arms]


def _counterpart(run: LoadedRun, arm: str) -> str:
    """The arm of the same name, else the run's own baseline."""
    same = next((one.key for one in run.definition.arms if one.key == arm), run.definition.baseline)
    return run.key_of(same)


def _invalid(field: str, message: str) -> Invalid:
    return Invalid(message, errors=[FieldProblem(field=field, message=message)])
