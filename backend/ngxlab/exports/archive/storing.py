"""Store a run that came as an archive: in one transaction, under the ids that it has where it was measured."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import groupby, islice
from typing import Any, NamedTuple, TypeVar
from uuid import UUID, uuid4

from ngxlab_contracts.sentences import say
from ngxlab_contracts.telemetry import Batch, Frame, LatencyInterval, Layout
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.accounts.secrets import new_token, token_hash
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict
from ngxlab.core.signing import fingerprint, own_key
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.yaml.documents import canonical_json
from ngxlab.experiments import repository as experiments
from ngxlab.experiments.models import Experiment, ExperimentVersion, definition_of
from ngxlab.exports.archive import layout
from ngxlab.exports.archive.layout import HostPart, JudgementPart, RunPart, TrialPart
from ngxlab.exports.archive.reading import Archive
from ngxlab.exports.archive.validation import Content
from ngxlab.hosts.models import Host
from ngxlab.metrics.repository import are_discarded
from ngxlab.metrics.storing import store as store_batch
from ngxlab.notes.models import Note
from ngxlab.runs.models import Run, RunHost, RunImport, Trial, TrialHost
from ngxlab.runs.windows import WindowChange
from ngxlab.templates.registry import templates

_ROWS_AT_A_TIME, _BYTES_AT_A_TIME = 2000, 2 << 20
"""Bounds the lines in memory at a time, whose values take some times as much."""
_TRIALS_AT_A_TIME = 50
MOST_BYTES_OF_A_PERSON, MOST_A_DAY = 16 << 30, 500
"""Unpacked, as long as the runs are kept."""
_Row = TypeVar("_Row")
_NO_POSITION = 0
"""The position in the live stream, which a run from elsewhere never had."""


def ids_taken() -> Conflict:
    return Conflict("Another run here has the ids of this one, of its trials or of its notes.", code="ids-taken")


async def store(
    session: AsyncSession, caller: Caller, archive: Archive, content: Content, *, definition: Definition, sha256: str,
    own_address: str,
) -> Run:  # fmt: skip
    """Raises Conflict where something of it is here already. ``own_address``: this installation's."""
    # Whose quota it is, then whose versions: other people, and other experiments, do not wait.
    for what in (caller.account.id, content.run.experiment.id):
        await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"ngxlab import {what}", 0))))
    await _require_quota(session, caller, archive.unpacked_bytes)
    await _require_absent(session, content)
    version = await _version(session, caller, content.run, definition)
    known = {"sha256": sha256, "key_changed": await _is_other_key(session, archive, own_address)}
    run = _run(caller, content.run, version, archive, known)
    session.add(run)
    hosts = [await _host(session, part) for part in content.run.hosts]
    await session.flush()
    for part, host in zip(content.run.hosts, hosts, strict=True):
        for slot in part.slots:
            session.add(RunHost(run_id=run.id, slot=slot, host_id=host.id, address="", inventory=part.inventory))
    await session.flush()
    await _trials(session, archive, run.id, hosts)
    session.add_all(_windows(run.id, caller, content))
    session.add_all(_notes(run.id, caller, content))
    await session.flush()
    await _rows(session, archive, [trial.id for trial in content.trials], [host.id for host in hosts])
    return run


async def _require_quota(session: AsyncSession, caller: Caller, size: int) -> None:
    """Whoever imports may take so much room, and so many runs a day."""
    own = select(RunImport).where(RunImport.imported_by == caller.account.id).subquery()
    taken = await session.scalar(select(func.coalesce(func.sum(own.c.bytes), 0)))
    lately = await session.scalar(select(func.count()).where(own.c.imported_at > utcnow() - timedelta(days=1)))
    if int(taken or 0) + size > MOST_BYTES_OF_A_PERSON:
        raise Conflict(
            "Your imported runs take {taken:.1f} GiB here, and a person's may take {most} GiB: delete some of them.",
            taken=int(taken or 0) / 2**30,
            most=MOST_BYTES_OF_A_PERSON >> 30,
            code="import-quota",
        )
    if (lately or 0) >= MOST_A_DAY:
        raise Conflict(
            "You have imported {lately} runs within a day: go on tomorrow.", lately=lately or 0, code="import-quota"
        )


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


async def _require_absent(session: AsyncSession, content: Content) -> None:
    part = content.run
    if (here := await session.get(Run, part.id)) is not None:
        name = say("{name} #{number}", name=here.version.experiment.name, number=here.number)
        raise Conflict("This run is here already: {name}.", name=name, code="run-exists")
    ids = [trial.id for trial in content.trials]
    taken = await session.scalar(select(Trial.id).where(Trial.id.in_(ids)).limit(1))
    number = select(Run.id).where(Run.experiment_id == part.experiment.id, Run.number == part.number)
    note = select(Note.id).where(Note.id.in_([note.id for note in part.notes])).limit(1)
    if taken is not None or any([await session.scalar(query) is not None for query in (number, note)]):
        raise ids_taken()
    if await are_discarded(session, ids):
        detail = "This run was deleted here, and its data is still being removed. Try again in some minutes."
        raise Conflict(detail, code="deleted")


async def _version(session: AsyncSession, caller: Caller, run: RunPart, definition: Definition) -> ExperimentVersion:
    """The version in the experiment of an earlier archive, or in a new one. Nobody adds to what others own."""
    part = run.experiment
    experiment = await experiments.experiment(session, part.id)
    if experiment is None:
        key = part.template_key if part.template_key in templates() else None
        experiment = Experiment(id=part.id, name=part.name, template_key=key, created_by=caller.account.id)
        experiment.author = caller.account
        session.add(experiment)
        await session.flush()
    else:
        require_owner(caller, experiment.created_by, "experiment")
    version = await experiments.version(session, part.id, part.version)
    if version is None:
        experiments.add_version(session, part.id, part.version, definition, caller.account.id)
        await session.flush()
        version = await experiments.version(session, part.id, part.version)
    elif canonical_json(definition_of(version)) != canonical_json(definition):
        raise Conflict(
            "Version {version} of this experiment is another one here.", version=part.version, code="version-differs"
        )
    if version is None:
        raise RuntimeError("the version that was just stored is not there")
    return version


def _run(caller: Caller, part: RunPart, version: ExperimentVersion, archive: Archive, known: Mapping[str, Any]) -> Run:
    others = {"experiment", "hosts", "windows", "notes", "author", "calibration", "calibration_stale", "judgements"}
    own = part.model_dump(exclude=others)
    run = Run(**own, experiment_id=part.experiment.id, experiment_version_id=version.id, created_by=caller.account.id)
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


async def _host(session: AsyncSession, part: HostPart) -> Host:
    """A name that no run can use: a host that was removed before it could call, with a credential that nobody has."""
    mine = func.pg_try_advisory_xact_lock(func.hashtextextended(f"ngxlab import {part.id}", 0))
    # Of two imports at once that have it, one takes its id, and the other does not wait to see whether that remains.
    taken = not await session.scalar(select(mine)) or await session.get(Host, part.id) is not None
    host = Host(
        id=uuid4() if taken else part.id,
        name=part.name,
        credential_hash=token_hash(new_token("")),
        inventory=part.inventory,
        agent_version="",
        protocol="",
        removed_at=utcnow(),
    )
    session.add(host)
    return host


async def _trials(session: AsyncSession, archive: Archive, run_id: UUID, hosts: Sequence[Host]) -> None:
    """Some at a time: what they say may be far larger than what is known of them (:class:`Content`)."""
    parts = archive.sized_rows(layout.TRIALS)
    while some := list(_some(parts, _TRIALS_AT_A_TIME)):
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


def _trial_hosts(part: TrialPart, hosts: Sequence[Host]) -> Iterator[TrialHost]:
    for share in part.hosts:
        own = share.model_dump(exclude={"host", "spec"})
        spec = share.spec.model_dump(mode="json")
        yield TrialHost(**own, trial_id=part.id, host_id=hosts[share.host].id, spec=spec, endpoints=[])


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


async def _rows(session: AsyncSession, archive: Archive, trials: Sequence[UUID], hosts: Sequence[UUID]) -> None:
    for name, make in _MAKERS.items():
        batches = _batches(archive.sized_rows(name), make)
        while (found := await asyncio.to_thread(next, batches, None)) is not None:
            (trial, host), batch = found
            await store_batch(session, trials[trial], hosts[host], _NO_POSITION, batch)


class Made(NamedTuple):
    """What a row says of a host in a trial, as part of a batch."""

    place: tuple[int, int]
    part: str
    item: Any


def _batches(
    rows: Iterator[tuple[int, Any]], make: Callable[[Any], tuple[int, int, str, Any]]
) -> Iterator[tuple[tuple[int, int], Batch]]:
    """Successive rows of one host in one trial, some thousands at a time."""
    made = ((size, _made(*make(row))) for size, row in rows)
    for place, group in groupby(made, key=lambda one: one[1].place):
        while some := list(_some(group, _ROWS_AT_A_TIME)):
            empty: dict[str, Any] = {"layouts": [], "frames": [], "intervals": [], "events": []}
            content = empty | {some[0].part: [one.item for one in some]}
            yield place, Batch.model_construct(seq=0, clock_offset_us=0, **content)


def _made(trial: int, host: int, part: str, item: Any) -> Made:
    return Made((trial, host), part, item)


def _some(rows: Iterator[tuple[int, _Row]], most: int) -> Iterator[_Row]:
    """The next of them, which come with the sizes of their lines; few where these are long."""
    left = _BYTES_AT_A_TIME
    for size, row in islice(rows, most):
        yield row
        left -= size
        if left <= 0:
            return


def _layout(row: layout.LayoutPart) -> tuple[int, int, str, Any]:
    return row.trial, row.host, "layouts", Layout(id=row.id, collector=row.collector, series=row.series)


def _frame(row: Any) -> tuple[int, int, str, Any]:
    trial, host, number, t_us, took_us, values = row
    frame = Frame.model_construct(layout=number, t_us=t_us, took_us=took_us, values=values)
    return trial, host, "frames", frame


def _interval(row: Any) -> tuple[int, int, str, Any]:
    trial, host, *found = row
    names = ("stream", "t0_us", "t1_us", "count", "histogram", "quantity")
    return trial, host, "intervals", LatencyInterval.model_construct(**dict(zip(names, found, strict=True)))


def _event(row: layout.EventPart) -> tuple[int, int, str, Any]:
    return row.trial, row.host, "events", row.event


def _artefact(row: layout.ArtefactPart) -> tuple[int, int, str, Any]:
    return row.trial, row.host, "events", row.file


_MAKERS: dict[str, Callable[[Any], tuple[int, int, str, Any]]] = {
    layout.LAYOUTS: _layout,
    layout.FRAMES: _frame,
    layout.INTERVALS: _interval,
    layout.EVENTS: _event,
    layout.ARTEFACTS: _artefact,
}
