"""The telemetry of a trial: all its hosts, the target first."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.sentences import Sentence
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.moment import AROUND, events_near, jumps_near, unknown_near
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.series.action_marks import ActionMark
from ngxlab.analysis.series.derive import Wanted
from ngxlab.analysis.series.moment_schemas import MomentEvent
from ngxlab.analysis.series.schemas import DerivedSeries
from ngxlab.core.stored_json import read_or_none
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.damage import Damage
from ngxlab.metrics.repository import RawData
from ngxlab.metrics.schemas import TrialLatencyMaps, TrialMoment, TrialSeries
from ngxlab.metrics.service import ReportingHost, host_latency_maps, host_record, host_series
from ngxlab.runs.models import Run, Trial, definition_of, spec_of


def reporting_hosts(run: Run, trial: Trial) -> list[ReportingHost]:
    """The hosts of a trial in the order of the definition's slots: the target first. Raises Unreadable."""
    slots = definition_of(run).slots
    played = {entry.host_id: entry for entry in reversed(run.hosts)}
    host_of = {entry.slot: entry.host_id for entry in run.hosts}
    rank = {host_of[slot]: position for position, slot in reversed(list(enumerate(slots)))}
    return [
        ReportingHost(
            trial_id=trial.id,
            host_id=trial_host.host_id,
            name=played[trial_host.host_id].host.name,
            spec=spec_of(trial, trial_host),
            clock_offset_us=trial_host.clock_offset_us or 0,
            inventory=read_or_none(Inventory, played[trial_host.host_id].inventory, "A host's inventory of this run"),
        )
        for trial_host in sorted(trial.hosts, key=lambda trial_host: rank[trial_host.host_id])
    ]


class TrialFacts(NamedTuple):
    """The facts of a trial without its data."""

    trial_id: UUID
    arm: str
    block: int
    position: int
    attempt: int
    state: str

    @classmethod
    def of(cls, trial: Trial) -> "TrialFacts":
        return cls(trial.id, trial.arm, trial.block, trial.position, trial.attempt, trial.state)


def trial_record(trial: TrialFacts, hosts: Sequence[ReportingHost], data: RawData) -> TrialRecord:
    """Everything stored about a trial, in the form that the analysis reads."""
    return TrialRecord(*trial, hosts=[host_record(host, data) for host in hosts])


async def trial_series(session: AsyncSession, run: Run, trial: Trial, wanted: Wanted) -> TrialSeries:
    """The derived series of all hosts of a trial, and marks. ``run`` was read before what is read here: a batch and the
    run's position are committed together."""
    series: list[DerivedSeries] = []
    actions: list[ActionMark] = []
    unreadable: list[str] = []
    for host in reporting_hosts(run, trial):
        read = await host_series(session, host, wanted)
        series += read.series
        actions += read.actions
        unreadable += read.unreadable
    return TrialSeries(
        trial_id=trial.id,
        arm=trial.arm,
        block=trial.block,
        live_seq=run.live_seq,
        series=series,
        actions=actions,
        unreadable=unreadable,
    )


async def trial_latency_maps(session: AsyncSession, run: Run, trial: Trial) -> TrialLatencyMaps:
    """Latency maps of each stream of a trial, on whichever host it ran."""
    found = [await host_latency_maps(session, host) for host in reporting_hosts(run, trial)]
    return TrialLatencyMaps(trial_id=trial.id, maps=[one for maps in found for one in maps])


_POINTS = 2_000
"""Of a line around a moment: as many as ten readings a second are in the longest stretch that may be asked for."""


async def trial_moment(session: AsyncSession, run: Run, trial: Trial, at_s: float, within_s: float) -> TrialMoment:
    """What all hosts of a trial reported within so many seconds of a moment, and which lines stood out then."""
    part = (at_s - AROUND * within_s, at_s + AROUND * within_s)
    from_s, to_s = at_s - within_s, at_s + within_s
    series: list[DerivedSeries] = []
    actions: list[ActionMark] = []
    events: list[MomentEvent] = []
    unknown: list[Sentence] = []
    for host in reporting_hosts(run, trial):
        read = await host_series(session, host, Wanted(_POINTS, None, part))
        series += read.series
        actions += [one for one in read.actions if one.t_s <= to_s and (one.ended_s or to_s) >= from_s]
        told = [event for _, event in await metrics.events(session, trial.id, host.host_id, Damage())]
        kept = await metrics.artefacts(session, trial.id, host.host_id)
        events += events_near(host.name, [*told, *kept], at_s, within_s)
        if host.spec.nginx is not None:
            unknown += unknown_near(host.name, [*told, *kept], at_s, within_s)
    jumps = await asyncio.to_thread(jumps_near, series, at_s, within_s)
    return TrialMoment(
        trial_id=trial.id,
        from_s=from_s,
        to_s=to_s,
        actions=actions,
        events=sorted(events, key=lambda one: one.t_s),
        unknown=unknown,
        jumps=jumps,
    )
