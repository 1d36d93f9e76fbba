"""The scatter that earlier runs of a load on the same hosts have shown: for a plan, and for the verdict of a small run.

What a run knows of it is fixed when it is created: nothing that is measured, deleted or judged later changes it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ngxlab_verdict import Scatter, learn
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.schemas import LearnedScatter, MetricNoise
from ngxlab.core.clock import utcnow
from ngxlab.core.stored_json import read_or_none
from ngxlab.definition.fragments import DefinitionError
from ngxlab.definition.identical import load_key
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.calibration import repository
from ngxlab.runs.calibration.service import Setting, readable_noise, setting_of, why_stale
from ngxlab.runs.models import Run


@dataclass(frozen=True)
class Shown:
    """What one run has shown, and when it was over."""

    run_id: UUID | None
    at: datetime
    noise: Sequence[MetricNoise]


async def of_earlier_runs(session: AsyncSession, experiment_id: UUID, now: Setting) -> list[Shown]:
    """The completed runs of the same experiment and load on these hosts, unchanged since; the newest first."""
    return await asyncio.to_thread(_alike, await repository.earlier_runs(session, experiment_id), now)


def _alike(runs: Sequence[Run], now: Setting) -> list[Shown]:
    key, found = _key(now.definition), []
    for run in runs:
        definition = read_or_none(Definition, run.version.definition, "The definition of an earlier run")
        then = setting_of(run, definition) if definition is not None else None
        scatter = (run.analysis or {}).get("scatter")
        if definition is None or then is None or not isinstance(scatter, list):
            continue
        here = then.facts == now.facts and then.host_ids == now.host_ids
        if scatter and run.finished_at and here and key is not None and _key(definition) == key:
            found.append(Shown(run.id, run.finished_at, readable_noise(scatter)))
    return found


def _key(definition: Definition) -> str | None:
    """``None`` where the load cannot be rendered."""
    try:
        return load_key(definition)
    except DefinitionError:
        return None


async def of_calibrations(session: AsyncSession, now: Setting) -> list[Shown]:
    """Identical arms under the same load on these hosts, unchanged since; the newest first."""
    key = await asyncio.to_thread(_key, now.definition)
    if key is None:
        return []
    kept = await repository.candidates(session, key, None, now.definition.plan.measure_s, utcnow())
    here = [one for one in kept if one.hosts == now.host_ids and why_stale(one, now.facts) is None]
    return [Shown(one.run_id, one.taken_at, readable_noise(one.noise)) for one in here]


async def learned(session: AsyncSession, earlier: Sequence[Shown], now: Setting) -> list[LearnedScatter]:
    """What a run that is created now is expected to show, metric by metric: of ``earlier`` ones and calibrations, each
    of which counts once."""
    known = {one.run_id for one in earlier}
    calibrated = await of_calibrations(session, now)
    return learned_of([*earlier, *(one for one in calibrated if one.run_id not in known)])


def learned_of(shown: Sequence[Shown]) -> list[LearnedScatter]:
    by_metric: dict[str, list[Scatter]] = {}
    for one in shown:
        for noise in one.noise:
            by_metric.setdefault(noise.metric, []).append(Scatter(noise.deviation, noise.degrees))
    found = ((metric, learn(scatters), len(scatters)) for metric, scatters in sorted(by_metric.items()))
    return [
        LearnedScatter(metric=metric, deviation=one.deviation, degrees=one.degrees, runs=count)
        for metric, one, count in found
        if one is not None
    ]
