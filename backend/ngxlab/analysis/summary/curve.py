"""Curves: what becomes of throughput and latency at each of several rates, within one trial."""

import math
from collections.abc import Sequence

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.telemetry import CurveStep

from ngxlab.analysis.metrics import PLATEAU
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import CurveRate, TrialCurve

FOLLOWED = 0.97
"""The share of a rate that must be served for throughput to follow it. Answers that are under way as a rate ends are
missing from what it served: a latency of 3 % of its time."""


def curves(record: TrialRecord) -> list[TrialCurve]:
    """The curves of all hosts, in the order of their plans."""
    return [
        _curve(host, stream.key, len(wanted.rates_per_s))
        for host in record.hosts
        for stream in host.spec.streams
        if (wanted := stream.draws_curve) is not None
    ]


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """The plateau of the trial's curve; where there are several, there is none."""
    found = curves(record)
    return {PLATEAU: found[0].plateau_per_s} if len(found) == 1 else {}


def _curve(host: HostRecord, stream: str, planned: int) -> TrialCurve:
    origin_us = host.phase_at_us("measure") or host.load_began_us or 0
    return curve_of(stream, planned, [tried(step, origin_us) for step in host.curve_steps(stream)])


def curve_of(stream: str, planned: int, rates: Sequence[CurveRate]) -> TrialCurve:
    """``planned``: how many rates there should be."""
    counted = [rate for rate in rates if counts(rate)]
    beyond = [rate for rate in counted if not rate.followed]
    without = None if beyond else _without_plateau(counted, planned)
    return TrialCurve(
        stream=stream,
        planned=planned,
        rates=list(rates),
        plateau_per_s=_plateau(beyond) if beyond else None,
        without_plateau=without,
        followed_all=not beyond and len(counted) == planned,
    )


def counts(rate: CurveRate) -> bool:
    """Whether its throughput says something of nginx: a load generator that was late may be why it did not follow."""
    return rate.followed or not rate.generator_late


def tried(step: CurveStep, origin_us: int) -> CurveRate:
    """``origin_us``: the beginning of the planned window, by the host's clock."""
    told = {
        "t_s": (step.begun_us - origin_us) / 1e6,
        "seconds": (step.t_us - step.begun_us) / 1e6,
        "followed": not step.cut_short and step.achieved_per_s >= FOLLOWED * step.per_s,
    }
    return CurveRate(**told, **step.model_dump(include=CurveRate.model_fields.keys() - told.keys()))


def _plateau(beyond: Sequence[CurveRate]) -> float:
    """The mean, each second the same weight."""
    seconds = math.fsum(rate.seconds for rate in beyond)
    return math.fsum(rate.achieved_per_s * rate.seconds for rate in beyond) / seconds


def _without_plateau(counted: Sequence[CurveRate], planned: int) -> Sentence:
    if not counted:
        return say("no rate was tried at which the load generator was in time")
    highest = max(rate.per_s for rate in counted)
    if len(counted) < planned:
        return say(
            "only {tried} of {planned} rates count, and throughput followed them", tried=len(counted), planned=planned
        )
    return say("throughput followed every rate up to {rate:,g}/s", rate=highest)
