"""Curves: what becomes of throughput and latency at each of several rates, or with each of several numbers of
connections, within one trial."""

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
HIGHEST, NEAR = 0.95, 0.9
"""With connections, the plateau begins with the fewest that have this share of the highest throughput. Of those beyond,
the ones that have the second share of it are on the plateau; others are past a peak."""
FLAT = 2
"""A plateau reaches at least from a number of connections to so many times as many."""


def curves(record: TrialRecord) -> list[TrialCurve]:
    """The curves of all hosts, in the order of their plans."""
    return [
        _curve(host, stream.key, len(wanted.points))
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
    if any(rate.connections for rate in rates):
        return _closed_loop(stream, planned, rates, counted)
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


def _closed_loop(stream: str, planned: int, rates: Sequence[CurveRate], counted: Sequence[CurveRate]) -> TrialCurve:
    by_number = sorted((rate for rate in counted if rate.achieved_per_s), key=lambda rate: rate.connections or 0)
    flat = _flat(by_number)
    plateau = _plateau(flat) if flat else None
    return TrialCurve(
        stream=stream,
        planned=planned,
        rates=list(rates),
        plateau_per_s=plateau,
        knee_connections=plateau * _connections(by_number[0]) / by_number[0].achieved_per_s if plateau else None,
        without_plateau=None if flat else _without_flat(by_number, planned),
        followed_all=not flat and len(by_number) == planned,
    )


def _flat(by_number: Sequence[CurveRate]) -> list[CurveRate]:
    """Those on the plateau; none where throughput rises to the end."""
    highest = max((rate.achieved_per_s for rate in by_number), default=0)
    begins = next((_connections(rate) for rate in by_number if rate.achieved_per_s >= HIGHEST * highest), 0)
    if not by_number or _connections(by_number[-1]) < FLAT * begins:
        return []
    return [rate for rate in by_number if _connections(rate) >= begins and rate.achieved_per_s >= NEAR * highest]


def _connections(rate: CurveRate) -> int:
    return rate.connections or 0


def _without_flat(by_number: Sequence[CurveRate], planned: int) -> Sentence:
    if not by_number:
        return say("no number of connections was tried at which the load generator had time to spare")
    most = _connections(by_number[-1])
    if len(by_number) < planned:
        message = (
            "only {tried} of {planned} numbers of connections count, and throughput rises with them up to {most:,}"
        )
        return say(message, tried=len(by_number), planned=planned, most=most)
    return say("throughput rises with the connections up to {most:,}", most=most)


def counts(rate: CurveRate) -> bool:
    """Whether its throughput says something of nginx: a load generator that was late may be why it did not follow."""
    return not rate.generator_late or (rate.followed and rate.connections is None)


def tried(step: CurveStep, origin_us: int) -> CurveRate:
    """``origin_us``: the beginning of the planned window, by the host's clock."""
    told = {
        "t_s": (step.begun_us - origin_us) / 1e6,
        "seconds": (step.t_us - step.begun_us) / 1e6,
        "followed": step.connections is not None
        or (not step.cut_short and step.achieved_per_s >= FOLLOWED * step.per_s),
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
