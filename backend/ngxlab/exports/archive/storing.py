"""Store a run that came as an archive, under the ids that it has where it was measured.

Its raw data are here already (:mod:`ngxlab.exports.archive.staging`): what is left is one short transaction.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.accounts.secrets import new_token, token_hash
from ngxlab.core.clock import utcnow
from ngxlab.core.signing import fingerprint, own_key
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import repository as experiments
from ngxlab.experiments.models import Experiment, ExperimentVersion
from ngxlab.exports.archive import layout
from ngxlab.exports.archive.layout import HostPart, JudgementPart, RunPart, TrialPart
from ngxlab.exports.archive.reading import Archive
from ngxlab.exports.archive.staging import Staged, some_of, version_here
from ngxlab.exports.archive.validation import Content
from ngxlab.hosts.models import Host
from ngxlab.metrics.staging import end
from ngxlab.notes.models import Note
from ngxlab.runs.models import Run, RunHost, RunImport, Trial, TrialHost
from ngxlab.runs.windows import WindowChange
from ngxlab.templates.registry import templates

_TRIALS_AT_A_TIME = 50


async def store(session: AsyncSession, caller: Caller, archive: Archive, content: Content, staged: Staged) -> Run:
    """Raises Conflict where something of it is here already, and Forbidden where its experiment is somebody else's."""
    # Whose rows refer to an account locks it only while it commits.
    await session.execute(text("SET CONSTRAINTS ALL DEFERRED"))
    await end(session, staged.id)
    lock = func.pg_advisory_xact_lock(func.hashtextextended(f"ngxlab import {content.run.experiment.id}", 0))
    await session.execute(select(lock))  # for its versions: other experiments do not wait
    version = await _version(session, caller, content.run, staged.definition)
    known = {"sha256": staged.sha256, "key_changed": await _is_other_key(session, archive, staged.own_address)}
    run = _run(caller, content.run, version, archive, known)
    session.add(run)
    session.add_all(map(_host, content.run.hosts, staged.hosts))
    await session.flush()
    for part, host_id in zip(content.run.hosts, staged.hosts, strict=True):
        for slot in part.slots:
            session.add(RunHost(run_id=run.id, slot=slot, host_id=host_id, address="", inventory=part.inventory))
    await session.flush()
    await _trials(session, archive, run.id, staged.hosts)
    session.add_all(_windows(run.id, caller, content))
    session.add_all(_notes(run.id, caller, content))
    await session.flush()
    return run


async def _is_other_key(session: AsyncSession, archive: Archive, own_address: str) -> bool:
    """Whether archives from this address were signed before, and by another key than this one or by none now. What is
    said to be from here has this installation's key, or is not from here."""
    if archive.manifest.origin == own_address:
        return archive.signed_by != fingerprint((await own_key(session)).public_key().public_bytes_raw())
    signed = select(RunImport.signed_by).where(
        RunImport.origin == archive.manifest.origin, RunImport.signed_by.is_not(None)
    )
    known = set((await session.scalars(signed.distinct())).all())
    return bool(known) and archive.signed_by not in known


async def _version(session: AsyncSession, caller: Caller, run: RunPart, definition: Definition) -> ExperimentVersion:
    """The version in the experiment of an earlier archive, or in a new one."""
    if (here := await version_here(session, caller, run, definition)) is not None:
        return here
    part = run.experiment
    if await experiments.experiment(session, part.id) is None:
        key = part.template_key if part.template_key in templates() else None
        experiment = Experiment(id=part.id, name=part.name, template_key=key, created_by=caller.account.id)
        experiment.author = caller.account
        session.add(experiment)
        await session.flush()
    experiments.add_version(session, part.id, part.version, definition, caller.account.id)
    await session.flush()
    version = await experiments.version(session, part.id, part.version)
    if version is None:
        raise RuntimeError("the version that was just stored is not there")
    return version


def _run(caller: Caller, part: RunPart, version: ExperimentVersion, archive: Archive, known: Mapping[str, Any]) -> Run:
    others = {"experiment", "hosts", "windows", "notes", "author", "calibration", "calibration_stale", "judgements"}
    own = part.model_dump(exclude={*others, "selection", "revision"})
    run = Run(**own, experiment_id=part.experiment.id, experiment_version_id=version.id, created_by=caller.account.id)
    run.selection = [one.model_dump(mode="json") for one in part.selection]
    run.revision = (part.revision.model_dump(exclude_none=True) if part.revision is not None else {}) or None
    _take_judgements(run, part.judgements)
    run.imported = RunImport(
        origin=archive.manifest.origin,
        bytes=archive.unpacked_bytes,
        signed_by=archive.signed_by,
        author=part.author,
        **known,
        calibration=part.calibration.model_dump(mode="json") if part.calibration else None,
        calibration_stale=part.calibration_stale,
        imported_by=caller.account.id,
        imported_at=utcnow(),
    )
    return run


def _take_judgements(run: Run, judgements: Sequence[JudgementPart]) -> None:
    """As if they had been made here: whatever this version of the method says otherwise stands beside them."""
    told = [one.model_dump(mode="json") for one in judgements]
    run.judged_before = [one for one in told if one["until"] is not None]
    if judgements and judgements[-1].until is None:
        own, last = told[-1], judgements[-1]
        run.analysis = {name: own[name] for name in ("verdict", "outcome", "answers")}
        run.analysis |= {"headline": str(last.headline), "said": own["headline"]}
        run.method, run.judged_at = last.method, last.judged_at


def _host(part: HostPart, host_id: UUID) -> Host:
    """A name that no run can use: a host that was removed before it could call, with a credential that nobody has."""
    return Host(
        id=host_id,
        name=part.name,
        credential_hash=token_hash(new_token("")),
        inventory=part.inventory,
        agent_version="",
        protocol="",
        removed_at=utcnow(),
    )


async def _trials(session: AsyncSession, archive: Archive, run_id: UUID, hosts: Sequence[UUID]) -> None:
    """Some at a time: what they say may be far larger than what is known of them (:class:`Content`)."""
    parts = archive.sized_rows(layout.TRIALS)
    while some := list(some_of(parts, _TRIALS_AT_A_TIME)):
        trials = [_trial(run_id, part) for part in some]
        session.add_all(trials)
        await session.flush()
        shares = [share for part in some for share in _trial_hosts(part, hosts)]
        session.add_all(shares)
        await session.flush()
        for row in (*shares, *trials):
            session.expunge(row)


def _trial(run_id: UUID, part: TrialPart) -> Trial:
    own = part.model_dump(exclude={"hosts", "summary", "checks"})
    summary = part.summary.model_dump(mode="json") if part.summary is not None else None
    checks = [check.model_dump(mode="json") for check in part.checks] if part.checks is not None else None
    return Trial(**own, run_id=run_id, summary=summary, checks=checks)


def _trial_hosts(part: TrialPart, hosts: Sequence[UUID]) -> Iterator[TrialHost]:
    for share in part.hosts:
        own = share.model_dump(exclude={"host", "spec"})
        spec = share.spec.model_dump(mode="json")
        yield TrialHost(**own, trial_id=part.id, host_id=hosts[share.host], spec=spec, endpoints=[])


def _windows(run_id: UUID, caller: Caller, content: Content) -> Iterator[WindowChange]:
    for part in content.run.windows:
        trial_id = content.trials[part.trial].id if part.trial is not None else None
        yield WindowChange(
            run_id=run_id, trial_id=trial_id, start_s=part.start_s, end_s=part.end_s, reason=part.reason,
            changed_by=caller.account.id, changed_by_name=part.changed_by, changed_at=part.changed_at,
        )  # fmt: skip


def _notes(run_id: UUID, caller: Caller, content: Content) -> Iterator[Note]:
    for part in content.run.notes:
        trial_id = content.trials[part.trial].id if part.trial is not None else None
        own = part.model_dump(exclude={"trial", "author"})
        yield Note(**own, run_id=run_id, trial_id=trial_id, created_by=caller.account.id, author_name=part.author)
