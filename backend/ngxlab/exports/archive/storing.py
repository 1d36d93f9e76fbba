"""Store a run that came as an archive: in one transaction, under the ids that it has where it was measured."""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any, NamedTuple
from uuid import UUID, uuid4

from ngxlab_contracts.telemetry import Batch, Frame, LatencyInterval, Layout
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.accounts.secrets import new_token, token_hash
from ngxlab.audit.acts import Act
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict, ContentTooLarge
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.yaml.documents import canonical_json
from ngxlab.experiments import repository as experiments
from ngxlab.experiments.models import Experiment, ExperimentVersion, definition_of
from ngxlab.experiments.preview_process import PreviewProcess
from ngxlab.exports.archive import layout
from ngxlab.exports.archive.layout import HostPart, RunPart, TrialPart
from ngxlab.exports.archive.reading import MOST_BYTES, Archive, bad
from ngxlab.exports.archive.validation import Content, read_all, require_matching
from ngxlab.hosts.models import Host
from ngxlab.metrics.repository import are_discarded
from ngxlab.metrics.storing import store as store_batch
from ngxlab.notes.models import Note
from ngxlab.runs import service as runs
from ngxlab.runs.models import Run, RunHost, RunImport, Trial, TrialHost
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed
from ngxlab.runs.schemas import RunDetail
from ngxlab.runs.service import recorded
from ngxlab.runs.windows import WindowChange
from ngxlab.templates.registry import templates

_ROWS_AT_A_TIME, _BYTES_AT_A_TIME = 2000, 2 << 20
"""Bounds the lines in memory at a time, whose values take some times as much."""
_NO_POSITION = 0
"""The position in the live stream, which a run from elsewhere never had."""


async def store(
    session: AsyncSession, caller: Caller, archive: Archive, content: Content, *, definition: Definition, sha256: str
) -> Run:
    """Raises Conflict where something of it is here already."""
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended("ngxlab import", 0))))
    await _require_absent(session, content)
    version = await _version(session, caller, content.run, definition)
    run = _run(caller, content.run, version, archive.manifest.origin, sha256)
    session.add(run)
    hosts = [await _host(session, part) for part in content.run.hosts]
    await session.flush()
    for part, host in zip(content.run.hosts, hosts, strict=True):
        for slot in part.slots:
            session.add(RunHost(run_id=run.id, slot=slot, host_id=host.id, address="", inventory=part.inventory))
    for trial in content.trials:
        session.add(_trial(run.id, trial))
    await session.flush()
    for trial in content.trials:
        session.add_all(_trial_hosts(trial, hosts))
    session.add_all(_windows(run.id, caller, content))
    session.add_all(_notes(run.id, caller, content))
    await session.flush()
    await _rows(session, archive, [trial.id for trial in content.trials], [host.id for host in hosts])
    return run


async def _require_absent(session: AsyncSession, content: Content) -> None:
    part = content.run
    if (here := await session.get(Run, part.id)) is not None:
        name = f"{here.version.experiment.name} #{here.number}"
        raise Conflict(f"This run is here already: {name}.", code="run-exists")
    ids = [trial.id for trial in content.trials]
    taken = await session.scalar(select(Trial.id).where(Trial.id.in_(ids)).limit(1))
    number = select(Run.id).where(Run.experiment_id == part.experiment.id, Run.number == part.number)
    note = select(Note.id).where(Note.id.in_([note.id for note in part.notes])).limit(1)
    if taken is not None or any([await session.scalar(query) is not None for query in (number, note)]):
        raise Conflict("Another run here has the ids of this one, of its trials or of its notes.", code="ids-taken")
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
        raise Conflict(f"Version {part.version} of this experiment is another one here.", code="version-differs")
    if version is None:
        raise RuntimeError("the version that was just stored is not there")
    return version


def _run(caller: Caller, part: RunPart, version: ExperimentVersion, origin: str, sha256: str) -> Run:
    others = {"experiment", "hosts", "windows", "notes", "author", "calibration", "calibration_stale"}
    own = part.model_dump(exclude=others)
    run = Run(**own, experiment_id=part.experiment.id, experiment_version_id=version.id, created_by=caller.account.id)
    run.imported = RunImport(
        origin=origin,
        author=part.author,
        sha256=sha256,
        calibration=part.calibration.model_dump(mode="json") if part.calibration else None,
        calibration_stale=part.calibration_stale,
        imported_by=caller.account.id,
        imported_at=utcnow(),
    )
    return run


async def _host(session: AsyncSession, part: HostPart) -> Host:
    """A name that no run can use: a host that was removed before it could call, with a credential that nobody has."""
    taken = await session.get(Host, part.id) is not None
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
    """What a row says of a host in a trial, as part of a batch; ``bytes`` of its line."""

    place: tuple[int, int]
    part: str
    item: Any
    bytes: int


def _batches(
    rows: Iterator[tuple[int, Any]], make: Callable[[Any], tuple[int, int, str, Any]]
) -> Iterator[tuple[tuple[int, int], Batch]]:
    """Successive rows of one host in one trial, some thousands at a time."""
    made = (_made(size, *make(row)) for size, row in rows)
    for place, group in groupby(made, key=lambda one: one.place):
        while some := list(_some(group)):
            empty: dict[str, Any] = {"layouts": [], "frames": [], "intervals": [], "events": []}
            content = empty | {some[0].part: [one.item for one in some]}
            yield place, Batch.model_construct(seq=0, clock_offset_us=0, **content)


def _made(size: int, trial: int, host: int, part: str, item: Any) -> Made:
    return Made((trial, host), part, item, size)


def _some(group: Iterator[Made]) -> Iterator[Made]:
    """The next of them; few where their lines are long."""
    left = _BYTES_AT_A_TIME
    for one in islice(group, _ROWS_AT_A_TIME):
        yield one
        left -= one.bytes
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


async def import_run(
    database: Database, previews: PreviewProcess, caller: Caller, body: AsyncIterator[bytes]
) -> RunDetail:
    """Nothing is stored before all of it has been read and found sound. Raises Invalid, Conflict, ContentTooLarge."""
    with tempfile.NamedTemporaryFile(prefix="ngxlab-import-") as file:
        sha256 = await _received(file, body)
        with await asyncio.to_thread(Archive, Path(file.name)) as archive:
            content = await asyncio.to_thread(read_all, archive)
            definition = await previews.definition(caller, content.run.experiment.definition)
            require_matching(content, definition)
            async with database.transaction() as session:
                run = await store(session, caller, archive, content, definition=definition, sha256=sha256)
                session.expire_all()
                await session.refresh(run)
                if (await analyse(session, run, computed)).unreadable:
                    raise bad("Its trials cannot be analysed")
                await session.flush()
                shown = await runs.detail(session, run.id, caller)
                return await recorded(session, caller, Act.run_imported, shown, origin=archive.manifest.origin)


async def _received(file: IO[bytes], body: AsyncIterator[bytes]) -> str:
    """Its SHA-256, once all of it is on the disk."""
    found, size = hashlib.sha256(), 0
    async for piece in body:
        size += len(piece)
        if size > MOST_BYTES:
            raise ContentTooLarge(f"An archive has at most {MOST_BYTES >> 20} MiB.")
        found.update(piece)
        await asyncio.to_thread(file.write, piece)
    await asyncio.to_thread(file.flush)
    return found.hexdigest()
