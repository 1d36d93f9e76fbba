"""Assemble a report."""

import asyncio
import re
from collections.abc import Sequence
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.analysis.schemas import RunAnalysis, VerdictSentence, Why
from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.analysis.sizing import sizing_of
from ngxlab.analysis.why import is_explained, whys
from ngxlab.core.jobs.waiting import StillWorking
from ngxlab.core.stored_json import read_or_none
from ngxlab.definition.preview.definition import arm_previews
from ngxlab.definition.schema.definition import Definition
from ngxlab.notes import service as notes
from ngxlab.profiles import service as profiles
from ngxlab.reports.schemas import Badge, HeatTrial, Judged, Report, ReportHost, ReportRun, ReportTemplate, ReportTrial
from ngxlab.runs import repository as runs
from ngxlab.runs import service as run_service
from ngxlab.runs import window_choice as windows
from ngxlab.runs.choosing import arms_left
from ngxlab.runs.models import Run, RunHost, definition_of
from ngxlab.runs.preflight.assignment import roles_of
from ngxlab.runs.presentation import judged_before, run_detail, trial_out
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import waited
from ngxlab.runs.states import RunState
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab.templates.registry import template

_CLOSED_LOOP = Badge(
    key="closed-loop",
    label="Service time under closed loop",
    help="The generator sends the next request of a connection only after the last response, so a stall also "
    "delays the requests that would show it. Latencies are service times, not what independent users would experience.",
)
_PREVIEW = Badge(
    key="preview",
    label="Preview",
    help="At most three complete blocks: enough for a first impression, too few for a narrow interval.",
)
_PARTIAL = Badge(
    key="partial",
    label="Partial run",
    help="The run ended before all planned trials were measured. The results use the trials that were.",
)
_CHOSEN_WINDOW = Badge(
    key="chosen-window",
    label="Window chosen afterwards",
    help="The measured window was moved after the run, with its results known. Claims do not have the certainty of "
    "those on the planned window.",
)


async def report(session: AsyncSession, run_id: UUID, caller: Caller | None) -> Report:
    """The report of a run with what has been measured so far. ``caller``: ``None`` for the reader of a share."""
    run = await run_service.get(session, run_id)
    definition = definition_of(run)
    results = await analyse(session, run, waited)
    analysis, heats = results.analysis, await _heat_trials(session, run)
    origin = template(definition.template.key) if definition.template else None
    summaries = [summary for _, summary in results.trials]
    evidence = Evidence(definition, analysis, summaries)
    closed = any(stream.loop == "closed" for stream in definition.streams)
    badges = [_CLOSED_LOOP] if closed else []
    badges += [_PREVIEW] if analysis.preview else []
    badges += [_PARTIAL] if analysis.partial else []
    badges += [_CHOSEN_WINDOW] if analysis.chosen_window is not None else []
    is_over, left = RunState(run.state).final, arms_left(run, definition)
    return Report(
        run=await _facts(session, run),
        template=ReportTemplate(
            key=origin.key,
            title=origin.title,
            mechanism=origin.mechanism,
            source=origin.source,
            parameters=definition.template.parameters,
        )
        if origin and definition.template
        else None,
        analysis=analysis,
        findings=await asyncio.to_thread(findings, origin, evidence) if origin else None,
        sizing=await asyncio.to_thread(sizing_of, left, summaries, analysis.checks),
        why=await _whys(session, run, analysis, definition, is_kept=caller is None),
        windows=await windows.of_run(session, run, caller),
        thresholds=results.thresholds,
        outcome=results.outcome,
        badges=badges,
        arms=sorted(arm_previews(definition), key=lambda arm: arm.key not in left),
        trials=[
            ReportTrial(trial=trial_out(trial), summary=summary.model_copy(update={"latency_histogram": None}))
            for trial, summary in results.trials
        ],
        heat_trials=heats,
        notes=await notes.of_run(session, run_id, caller),
        hosts=_hosts(definition, run),
        catalogue=list(CATALOGUE),
        judged=Judged(method=run.method, at=run.judged_at) if is_over and run.judged_at is not None else None,
        judged_before=judged_before(run),
        unreadable=results.unreadable,
    )


_WAITS = re.compile(r"\b(proxy|fastcgi|uwsgi|scgi|grpc|memcached)_pass\b|\blimit_(req|rate)\b|_by_lua|\bjs_")
"""Directives for which a request may wait while its worker serves others."""


def waits_elsewhere(definition: Definition) -> bool:
    """Whether requests may wait for something else than their worker: an upstream server, a limit, a script, a client
    that is slow or far away."""
    return any(stream.client is not None for stream in definition.streams) or any(
        _WAITS.search(one.config) for one in arm_previews(definition)
    )


async def _whys(
    session: AsyncSession, run: Run, analysis: RunAnalysis, definition: Definition, *, is_kept: bool
) -> list[Why]:
    """None where profiles are still being read: the next look has them. Of a report that is kept as it is, as a share
    or an export, there is no next look: then it raises StillWorking."""
    by_arm: dict[str, list[VerdictSentence]] = {}
    for one in analysis.statements:
        if is_explained(one):
            by_arm.setdefault(one.arm, []).append(one)
    if not by_arm:
        return []
    found: list[Why] = []
    paced = all(stream.loop != "closed" for stream in definition.streams)
    elsewhere = waits_elsewhere(definition)
    try:
        base = await profiles.measured(session, run, {analysis.baseline})
        for arm, said in by_arm.items():
            own = await profiles.measured(session, run, {arm})
            of_arm = analysis.model_copy(update={"statements": said})
            found += await asyncio.to_thread(whys, of_arm, base | own, paced=paced, waits_elsewhere=elsewhere)
    except StillWorking:
        if is_kept:
            raise
        return []
    return found


async def _heat_trials(session: AsyncSession, run: Run) -> list[HeatTrial]:
    """The latest attempts at the trials that chose the arms; without those whose data cannot be read."""
    of_heats = [trial for trial in await runs.trials(session, run.id) if trial.heat is not None and trial.hosts]
    latest = list({trial.position: trial for trial in of_heats}.values())
    found = await waited(session, run, latest) if latest else {}
    return [
        HeatTrial(
            trial=trial_out(trial),
            usable=result[0].usable,
            unusable_reason=result[0].unusable_reason,
            requests_per_s=result[0].requests_per_s,
            latency=result[0].latency,
        )
        for trial in latest
        if not isinstance(result := found[trial.id], Exception)
    ]


async def _facts(session: AsyncSession, run: Run) -> ReportRun:
    detail = run_detail(run, await runs.trials(session, run.id), None)
    return ReportRun.model_validate(detail.model_dump(include=set(ReportRun.model_fields)))


def _hosts(definition: Definition, run: Run) -> list[ReportHost]:
    """Each host once, with all slots that it plays, the target first."""
    by_id: dict[UUID, list[RunHost]] = {}
    for entry in sorted(run.hosts, key=lambda entry: definition.slots.index(entry.slot)):
        by_id.setdefault(entry.host_id, []).append(entry)
    return [_host(definition, entries) for entries in by_id.values()]


def _host(definition: Definition, entries: Sequence[RunHost]) -> ReportHost:
    inventory = read_or_none(Inventory, entries[0].inventory, f"The inventory of {entries[0].host.name} in this run")
    return ReportHost(
        name=entries[0].host.name,
        slots=[entry.slot for entry in entries],
        roles=sorted({role for entry in entries for role in roles_of(definition, entry.slot)}),
        inventory=_without_addresses(inventory) if inventory else None,
    )


def _without_addresses(inventory: Inventory) -> Inventory:
    return inventory.model_copy(update={"nics": [nic.model_copy(update={"addresses": []}) for nic in inventory.nics]})
