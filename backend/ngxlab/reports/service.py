"""Assemble a report, and share it."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.hosts import Inventory
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.accounts.secrets import new_token, token_hash
from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.errors import NotFound
from ngxlab.core.stored import read_or_none
from ngxlab.definition.preview.arms import arm_previews
from ngxlab.definition.schema.definition import Definition
from ngxlab.notes import service as notes
from ngxlab.reports import repository
from ngxlab.reports.models import Share
from ngxlab.reports.schemas import (
    Badge,
    Report,
    ReportHost,
    ReportRun,
    ReportTemplate,
    ReportTrial,
    ShareCreate,
    ShareCreated,
    ShareOut,
)
from ngxlab.runs import repository as runs
from ngxlab.runs import service as run_service
from ngxlab.runs.choosing import service as windows
from ngxlab.runs.models import Run, RunHost, Trial
from ngxlab.runs.preflight.assignment import roles_of
from ngxlab.runs.presentation import run_detail, trial_out
from ngxlab.runs.readable import definition_of
from ngxlab.runs.results.analysis_jobs import analyse
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
    results = await analyse(session, run)
    analysis = results.analysis
    origin = template(definition.template.key) if definition.template else None
    evidence = Evidence(definition, analysis, [summary for _, summary in results.trials])
    closed = any(ENGINES[stream.engine].loop == "closed" for stream in definition.streams)
    badges = [_CLOSED_LOOP] if closed else []
    badges += [_PREVIEW] if analysis.preview else []
    badges += [_PARTIAL] if analysis.partial else []
    badges += [_CHOSEN_WINDOW] if analysis.chosen_window is not None else []
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
        windows=await windows.of_run(session, run, caller),
        thresholds=results.thresholds,
        outcome=results.outcome,
        badges=badges,
        arms=arm_previews(definition),
        trials=[
            ReportTrial(trial=trial_out(trial), summary=summary.model_copy(update={"latency_histogram": None}))
            for trial, summary in results.trials
        ],
        notes=await notes.of_run(session, run_id, caller),
        hosts=_hosts(definition, run),
        catalogue=list(CATALOGUE),
        unreadable=results.unreadable,
    )


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


async def create_share(
    session: AsyncSession, settings: Settings, caller: Caller, run_id: UUID, request: ShareCreate
) -> ShareCreated:
    """A new link. Only the answer contains it."""
    run = await run_service.get(session, run_id)
    require_owner(caller, run.created_by, "run")
    expires_at = utcnow() + timedelta(days=request.expires_in_days) if request.expires_in_days else None
    token = new_token("")
    share = Share(run_id=run_id, token_hash=token_hash(token), created_by=caller.account.id, expires_at=expires_at)
    share.label = request.label
    session.add(share)
    await session.flush()
    await session.refresh(share)
    shown = ShareOut.model_validate(share).model_dump()
    return ShareCreated(**shown, url=f"{settings.public_url}/shared/{token}")


async def shares(session: AsyncSession, caller: Caller, run_id: UUID) -> list[ShareOut]:
    """Who may share a run sees which links there are, not the links themselves."""
    run = await run_service.get(session, run_id)
    require_owner(caller, run.created_by, "run")
    return [ShareOut.model_validate(share) for share in await repository.shares_of_run(session, run_id)]


async def revoke_share(session: AsyncSession, caller: Caller, share_id: UUID) -> Share:
    share = await repository.share(session, share_id)
    run = await runs.run(session, share.run_id) if share else None
    if share is None or run is None:
        raise NotFound("There is no such link.")
    require_owner(caller, run.created_by, "run")
    share.revoked_at = share.revoked_at or utcnow()
    return share


async def shared(session: AsyncSession, token: str) -> Share:
    """The share behind a link. Raises the same NotFound for unknown, revoked and expired links."""
    share = await repository.open_share(session, token_hash(token))
    if share is None:
        raise NotFound("This link does not exist, was revoked, or has expired.", code="unknown-link")
    return share


async def shared_trial(session: AsyncSession, share: Share, trial_id: UUID) -> tuple[Run, Trial]:
    """A trial of the shared run. Raises NotFound for a trial of any other run."""
    trial = await run_service.trial(session, trial_id)
    if trial.run_id != share.run_id:
        raise NotFound("There is no such trial in this report.")
    return await run_service.get(session, share.run_id), trial
