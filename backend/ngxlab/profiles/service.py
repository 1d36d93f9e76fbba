"""The stored profiles of a run, by arm."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from ngxlab_contracts.profiles import Phases, Profile
from ngxlab_verdict import FALSE_DISCOVERIES
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.phases import ArmPhases
from ngxlab.analysis.phases import compare as compare_phases
from ngxlab.analysis.phases import sentence as phases_sentence
from ngxlab.analysis.profiles import ArmProfile, TrialProfile, compare, folded, sentence
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.why import Measured
from ngxlab.core.errors import NotFound
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.damage import Damage
from ngxlab.profiles.pprof import pprof
from ngxlab.profiles.schemas import (
    ArmPhasesOut,
    ArmProfileOut,
    FrameClaimOut,
    KernelCountsOut,
    PhaseOut,
    ProfileDifference,
    ProfileStack,
    ProfileSummary,
)
from ngxlab.runs import repository as runs
from ngxlab.runs import service as run_service
from ngxlab.runs.models import Run, Trial, definition_of
from ngxlab.runs.results.jobs import waited
from ngxlab.runs.states import TrialState

_MOST_TRIALS = 10
"""Profiles of an arm that are read, the newest ones: each takes megabytes."""


async def summaries(session: AsyncSession, run_id: UUID) -> list[ProfileSummary]:
    """Of the arms that have a profile, in the order of the run. One is read after the other, and then forgotten."""
    run = await run_service.get(session, run_id)
    trials = await _profiled(session, run)
    found = []
    for arm in definition_of(run).arms:
        one = await _read(session, run, trials.get(arm.key, []))
        if one is not None:
            found.append(await asyncio.to_thread(_summary, arm.key, one))
    return found


async def profile(session: AsyncSession, run_id: UUID, arm_key: str) -> ArmProfileOut:
    """Raises NotFound where there is no such arm, or no profile of it."""
    return await asyncio.to_thread(_whole, arm_key, await _of_arm(session, run_id, arm_key))


async def folded_stacks(session: AsyncSession, run_id: UUID, arm_key: str) -> str:
    """As text. Raises as :func:`profile`."""
    found = await _of_arm(session, run_id, arm_key)
    return await asyncio.to_thread(lambda: folded(found.stacks))


async def for_pprof(session: AsyncSession, run_id: UUID, arm_key: str) -> bytes:
    """As a file. Raises as :func:`profile`."""
    return await asyncio.to_thread(pprof, await _of_arm(session, run_id, arm_key))


async def difference(session: AsyncSession, run_id: UUID, arm_key: str, against: str) -> ProfileDifference:
    """Raises as :func:`profile`, for either arm."""
    arm, other = await _of_arm(session, run_id, arm_key), await _of_arm(session, run_id, against)
    run = await run_service.get(session, run_id)
    label = definition_of(run).arm(arm_key).label
    return await asyncio.to_thread(_difference, (arm_key, label, arm), (against, other))


async def phases(session: AsyncSession, run_id: UUID, against: str | None) -> list[ArmPhasesOut]:
    """Of the arms whose profiles have phases, in the order of the run, compared with one of them. Raises NotFound where
    the run has no such arm."""
    run = await run_service.get(session, run_id)
    arms = definition_of(run).arms
    if against is not None and against not in {arm.key for arm in arms}:
        raise NotFound("The run has no arm {arm}.", arm=against, code="unknown-arm")
    logged = await _phases_by_arm(session, run, await _profiled(session, run))
    found = {arm.key: logged[arm.key] for arm in arms if arm.key in logged}
    labels = {arm.key: arm.label for arm in arms}
    other = found.get(against) if against is not None else None
    return [_phases(key, labels[key], one, (against, other)) for key, one in found.items()]


async def measured(session: AsyncSession, run: Run, arms: Collection[str]) -> dict[str, Measured]:
    """What the profiles of these arms of a run have told, of those that have any."""
    trials = {arm: of_arm for arm, of_arm in (await _profiled(session, run)).items() if arm in arms}
    logged = await _phases_by_arm(session, run, trials)
    return {arm: Measured(await _read(session, run, of_arm), logged.get(arm)) for arm, of_arm in trials.items()}


async def _phases_by_arm(
    session: AsyncSession, run: Run, trials: Mapping[str, Sequence[Trial]]
) -> dict[str, ArmPhases]:
    """Of the arms in whose trials nginx logged requests."""
    told = await metrics.phases(session, [one.id for of_arm in trials.values() for one in of_arm], Damage())
    logged = {
        arm: found
        for arm, of_arm in trials.items()
        if (found := [one for one in of_arm if one.id in told and told[one.id].requests])
    }
    results = await waited(session, run, [one for found in logged.values() for one in found]) if logged else {}
    return {
        arm: ArmPhases([told[one.id] for one in found], _served([(told[one.id], results[one.id]) for one in found]))
        for arm, found in logged.items()
    }


def _served(trials: Sequence[tuple[Phases, tuple[TrialSummary, Any] | Exception]]) -> float | None:
    """The requests that nginx counted while it logged, all trials together."""
    served = 0.0
    for told, result in trials:
        counted = result[0].nginx if not isinstance(result, Exception) else None
        if counted is None or not counted.seconds:
            return None
        served += counted.requests * told.seconds / counted.seconds
    return served


def _phases(key: str, label: str, arm: ArmPhases, compared: tuple[str | None, ArmPhases | None]) -> ArmPhasesOut:
    against, other = compared
    is_compared = other is not None and key != against
    differences = compare_phases(arm, other) if other is not None and is_compared else {}
    rows = []
    for part in arm.parts:
        differs = differences.get(part)
        rows.append(
            PhaseOut(
                phase=part,
                mean_ms=arm.mean_ms(part),
                p50_ms=arm.percentile_ms(part, 0.5),
                p99_ms=arm.percentile_ms(part, 0.99),
                difference_ms=differs.difference if differs else None,
                low_ms=differs.low if differs else None,
                high_ms=differs.high if differs else None,
                claimed=differs is not None and differs.claimed,
            )
        )
    return ArmPhasesOut(
        arm_key=key,
        against=against if is_compared else None,
        trials=len(arm.trials),
        requests=arm.requests,
        unlogged_percent=arm.unlogged_percent,
        phases=rows,
        sentence=phases_sentence(arm, other, label) if other is not None and is_compared else None,
    )


async def _of_arm(session: AsyncSession, run_id: UUID, arm_key: str) -> ArmProfile:
    run = await run_service.get(session, run_id)
    if arm_key not in {arm.key for arm in definition_of(run).arms}:
        raise NotFound("The run has no arm {arm}.", arm=arm_key, code="unknown-arm")
    found = await _read(session, run, (await _profiled(session, run)).get(arm_key, []))
    if found is None:
        raise NotFound("Arm {arm} was not profiled.", arm=arm_key, code="no-profile")
    return found


async def _profiled(session: AsyncSession, run: Run) -> dict[str, list[Trial]]:
    """By arm: the newest completed trials that were to profile it."""
    latest = {trial.position: trial for trial in await runs.trials(session, run.id) if trial.is_profile}
    by_arm: dict[str, list[Trial]] = {}
    for trial in latest.values():
        if trial.state == TrialState.completed:
            by_arm.setdefault(trial.arm, []).append(trial)
    return {arm: trials[-_MOST_TRIALS:] for arm, trials in by_arm.items()}


async def _read(session: AsyncSession, run: Run, trials: Sequence[Trial]) -> ArmProfile | None:
    """What these trials of an arm have told, as far as their requests are known. ``None`` where that is nothing."""
    told = await metrics.profiles(session, [trial.id for trial in trials], Damage())
    trials = [trial for trial in trials if trial.id in told]
    results = await waited(session, run, trials) if trials else {}
    found = {trial.id: results[trial.id] for trial in trials}
    profiles = [_trial_profile(told[key], one[0]) for key, one in found.items() if not isinstance(one, Exception)]
    return ArmProfile(profiles) if profiles else None


def _trial_profile(told: Profile, summary: TrialSummary) -> TrialProfile:
    """Counters are read at the edges of the window, which was sampled but for some milliseconds."""
    share = told.seconds / summary.window_s if summary.window_s else 0.0
    requests = share * (summary.requests or 0)
    cost = summary.nginx_cpu_s_per_1000_requests
    return TrialProfile(told, requests, cost * requests / 1000 if cost is not None else None)


def _summary(arm_key: str, arm: ArmProfile) -> ProfileSummary:
    first = arm.trials[0].profile
    return ProfileSummary(
        arm_key=arm_key,
        trials=len(arm.trials),
        samples=arm.samples,
        requests=round(arm.requests),
        cpu_s=arm.cpu_s,
        worker_cpu_s=arm.worker_cpu_s,
        cpu_us_per_request=arm.cpu_us_per_request,
        lost=sum(trial.profile.lost for trial in arm.trials),
        unresolved_percent=arm.unresolved_percent,
        kernel=all(trial.profile.kernel for trial in arm.trials),
        unwinding=first.unwinding,
        hz=first.hz,
        counts=_counts(arm),
    )


def _counts(arm: ArmProfile) -> KernelCountsOut | None:
    found = {name: arm.per_request(name) for name in KernelCountsOut.model_fields}
    known = {name: value for name, value in found.items() if value is not None}
    return KernelCountsOut.model_validate({"migrations": None, **known}) if "waits" in known else None


def _whole(arm_key: str, arm: ArmProfile) -> ArmProfileOut:
    frames = list(dict.fromkeys(frame for stack in arm.stacks for frame in stack))
    places = {frame: place for place, frame in enumerate(frames)}
    return ArmProfileOut(
        **dict(_summary(arm_key, arm)),
        frames=[frame.name for frame in frames],
        modules=[frame.module for frame in frames],
        stacks=[
            ProfileStack(frames=[places[frame] for frame in stack], samples=samples)
            for stack, samples in arm.stacks.most_common()
        ],
    )


def _difference(mine: tuple[str, str, ArmProfile], theirs: tuple[str, ArmProfile]) -> ProfileDifference:
    (arm_key, label, arm), (against, other) = mine, theirs
    claims = compare(arm, other)
    return ProfileDifference(
        arm_key=arm_key,
        against=against,
        trials=len(arm.trials),
        against_trials=len(other.trials),
        cpu_us_per_request=arm.cpu_us_per_request,
        against_cpu_us_per_request=other.cpu_us_per_request,
        false_discovery_percent=100 * FALSE_DISCOVERIES,
        sentence=sentence(arm, other, claims, label),
        claims=[
            FrameClaimOut(
                frame=claim.frame.name,
                module=claim.frame.module,
                kind=claim.kind,
                cpu_us_per_request=claim.arm,
                baseline=claim.other,
                difference=claim.difference,
                low=claim.low,
                high=claim.high,
                q=claim.q,
                claimed=claim.claimed,
            )
            for claim in claims
        ],
    )
