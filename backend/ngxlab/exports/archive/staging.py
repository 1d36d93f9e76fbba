"""Store the raw data of an archive before its run: claimed first, then some at a time, so that nobody waits for it.

Who imports a large run holds no lock on anything of anybody meanwhile; :mod:`ngxlab.metrics.staging` says why nothing
is lost, and nothing left.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby, islice
from typing import Any, NamedTuple, TypeVar
from uuid import UUID, uuid4

from ngxlab_contracts.sentences import say
from ngxlab_contracts.telemetry import Batch, Frame, LatencyInterval, Layout
from sqlalchemy import func, select, true, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.errors import Conflict
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.yaml.documents import canonical_json
from ngxlab.experiments import repository as experiments
from ngxlab.experiments.models import ExperimentVersion, definition_of
from ngxlab.exports.archive import layout
from ngxlab.exports.archive.layout import HostPart, RunPart
from ngxlab.exports.archive.reading import Archive
from ngxlab.exports.archive.validation import Content
from ngxlab.hosts.models import Host
from ngxlab.metrics.models import StagedRun
from ngxlab.metrics.repository import are_discarded
from ngxlab.metrics.staging import hold
from ngxlab.metrics.storing import store as store_batch
from ngxlab.notes.models import Note
from ngxlab.runs.models import Run, RunImport, Trial

_ROWS_AT_A_TIME, _BYTES_AT_A_TIME = 2000, 256 << 10
"""Bounds the lines in memory at a time, whose values take some times as much."""
_BATCHES_AT_A_TIME = 100
"""In one transaction."""
MOST_BYTES_OF_A_PERSON, MOST_A_DAY = 16 << 30, 500
"""Unpacked, as long as the runs are kept."""
_Row = TypeVar("_Row")
_NO_POSITION = 0
"""The position in the live stream, which a run from elsewhere never had."""


@dataclass(frozen=True)
class Staged:
    """``id``: of the claim. ``hosts``: their ids here. ``own_address``: this installation's."""

    id: UUID
    hosts: Sequence[UUID]
    definition: Definition
    sha256: str
    own_address: str


def ids_taken() -> Conflict:
    return Conflict("Another run here has the ids of this one, of its trials or of its notes.", code="ids-taken")


async def claim(
    session: AsyncSession,
    caller: Caller,
    archive: Archive,
    content: Content,
    definition: Definition,
    *,
    staged_id: UUID,
    seconds: float,
) -> list[UUID]:
    """Claim its trials for so long; the ids that its hosts will have. Raises Conflict where something of it is here
    already, or on its way, or beyond what a person may import, and Forbidden where its experiment is not theirs."""
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended("ngxlab imports", 0))))
    await _require_quota(session, caller.account.id, archive.unpacked_bytes)
    await _require_absent(session, content)
    await version_here(session, caller, content.run, definition)
    hosts = await _host_ids(session, content.run.hosts)
    session.add(
        StagedRun(
            id=staged_id,
            account_id=caller.account.id,
            trials=[trial.id for trial in content.trials],
            hosts=hosts,
            bytes=archive.unpacked_bytes,
            until=utcnow() + timedelta(seconds=seconds),
        )
    )
    return hosts


async def _require_quota(session: AsyncSession, account_id: UUID, size: int) -> None:
    """Whoever imports may take so much room, and so many runs a day, with those that are on their way."""
    is_new = (RunImport.imported_at > utcnow() - timedelta(days=1)).label("is_new")
    here = select(RunImport.bytes, is_new).where(RunImport.imported_by == account_id)
    # One statement, since such a run becomes the other at any moment.
    own = union_all(here, select(StagedRun.bytes, true()).where(StagedRun.account_id == account_id)).subquery()
    sums = select(func.coalesce(func.sum(own.c.bytes), 0), func.count().filter(own.c.is_new))
    taken, lately = (await session.execute(sums)).one()
    if int(taken) + size > MOST_BYTES_OF_A_PERSON:
        raise Conflict(
            "Your imported runs take {taken:.1f} GiB here, and a person's may take {most} GiB: delete some of them.",
            taken=int(taken) / 2**30,
            most=MOST_BYTES_OF_A_PERSON >> 30,
            code="import-quota",
        )
    if lately >= MOST_A_DAY:
        raise Conflict(
            "You have imported {lately} runs within a day: go on tomorrow.", lately=lately, code="import-quota"
        )


async def _require_absent(session: AsyncSession, content: Content) -> None:
    part = content.run
    if (here := await session.get(Run, part.id)) is not None:
        name = say("{name} #{number}", name=here.version.experiment.name, number=here.number)
        raise Conflict("This run is here already: {name}.", name=name, code="run-exists")
    ids = [trial.id for trial in content.trials]
    if await session.scalar(select(StagedRun.id).where(StagedRun.trials.overlap(ids)).limit(1)) is not None:
        raise Conflict(
            "This run is being imported, or its import has just broken off. Try again in some minutes.",
            code="under-way",
        )
    taken = await session.scalar(select(Trial.id).where(Trial.id.in_(ids)).limit(1))
    number = select(Run.id).where(Run.experiment_id == part.experiment.id, Run.number == part.number)
    note = select(Note.id).where(Note.id.in_([note.id for note in part.notes])).limit(1)
    if taken is not None or any([await session.scalar(query) is not None for query in (number, note)]):
        raise ids_taken()
    if await are_discarded(session, ids):
        raise Conflict("Data of this run is still being removed here. Try again in some minutes.", code="deleted")


async def version_here(
    session: AsyncSession, caller: Caller, run: RunPart, definition: Definition
) -> ExperimentVersion | None:
    """The version of its experiment, if it is here. Raises Forbidden where the experiment is somebody else's, since
    nobody adds to what others own, and Conflict where the version is another one."""
    part = run.experiment
    experiment = await experiments.experiment(session, part.id)
    if experiment is not None:
        require_owner(caller, experiment.created_by, "experiment")
    version = await experiments.version(session, part.id, part.version)
    if version is not None and canonical_json(definition_of(version)) != canonical_json(definition):
        raise Conflict(
            "Version {version} of this experiment is another one here.", version=part.version, code="version-differs"
        )
    return version


async def _host_ids(session: AsyncSession, parts: Sequence[HostPart]) -> list[UUID]:
    """Those of where they measured, unless a host here has them, or one of a run that is on its way."""
    taken = set((await session.scalars(select(func.unnest(StagedRun.hosts)))).all())
    here = select(Host.id).where(Host.id.in_([part.id for part in parts]))
    taken |= set((await session.scalars(here)).all())
    return [uuid4() if part.id in taken else part.id for part in parts]


async def stage(database: Database, archive: Archive, content: Content, staged_id: UUID, hosts: Sequence[UUID]) -> None:
    """Store its raw data. Raises Conflict where it takes longer than it was claimed for."""
    trials = [trial.id for trial in content.trials]
    batches = (found for name, make in _MAKERS.items() for found in _batches(archive.sized_rows(name), make))
    is_more = True
    while is_more:
        async with database.transaction() as session:
            await hold(session, staged_id)
            is_more = await _store_some(session, batches, trials, hosts)


async def _store_some(
    session: AsyncSession,
    batches: Iterator[tuple[tuple[int, int], Batch]],
    trials: Sequence[UUID],
    hosts: Sequence[UUID],
) -> bool:
    """Whether there may be more."""
    for _ in range(_BATCHES_AT_A_TIME):
        if (found := await asyncio.to_thread(next, batches, None)) is None:
            return False
        (trial, host), batch = found
        await store_batch(session, trials[trial], hosts[host], _NO_POSITION, batch)
    return True


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
        while some := list(some_of(group, _ROWS_AT_A_TIME)):
            empty: dict[str, Any] = {"layouts": [], "frames": [], "intervals": [], "events": []}
            content = empty | {some[0].part: [one.item for one in some]}
            yield place, Batch.model_construct(seq=0, clock_offset_us=0, **content)


def _made(trial: int, host: int, part: str, item: Any) -> Made:
    return Made((trial, host), part, item)


def some_of(rows: Iterator[tuple[int, _Row]], most: int) -> Iterator[_Row]:
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
