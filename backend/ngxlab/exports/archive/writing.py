"""Write the archive of a run that is over."""

import asyncio
import hashlib
import io
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, one_snapshot
from ngxlab.core.errors import Conflict
from ngxlab.core.signing import own_key, signature
from ngxlab.exports.archive import layout, sources
from ngxlab.exports.archive.sources import ROWS, Lines, json_line, row_lines, trial_lines
from ngxlab.exports.formats import RunName
from ngxlab.exports.markdown import markdown
from ngxlab.metrics.models import FrameRow, LatencyIntervalRow
from ngxlab.notes import repository as notes
from ngxlab.reports import service as reports
from ngxlab.reports.redaction import redacted_json, redacted_report
from ngxlab.runs import repository, service
from ngxlab.runs.calibration.service import used
from ngxlab.runs.models import Run, Trial, definition_of
from ngxlab.runs.presentation import judged_before, judgement
from ngxlab.runs.states import RunState
from ngxlab.runs.windows import changes_of

MOST_ROWS = 20_000_000
"""Frames and histograms of one run: about what an archive may unpack to."""
_RUN_FIELDS = (
    "number", "state", "state_code", "state_reason", "cancel_requested_at", "finish_requested_at", "seed", "note",
    "created_at", "started_at", "finished_at", "blocks", "added_to", "builds", "learned", "selection",
    "revision",
)  # fmt: skip


async def archive(database: Database, run_id: UUID, origin: str) -> tuple[RunName, AsyncGenerator[bytes]]:
    """Raises NotFound, and Conflict for a run that is not over or too large."""
    async with database.transaction() as session:
        report = redacted_report(await reports.report(session, run_id, None))
        run = await service.get(session, run_id)
        if not RunState(run.state).final:
            raise Conflict("A run can be archived when it is over.", code=f"run-{run.state}")
        if await _rows(session, run_id) > MOST_ROWS:
            raise Conflict(
                "The run has more than {most:,} readings: too many for an archive.", most=MOST_ROWS, code="too-large"
            )
    name = RunName(report.run.experiment_name, report.run.number)
    return name, _pieces(database, run_id, origin, markdown(report))


async def _rows(session: AsyncSession, run_id: UUID) -> int:
    trials = select(Trial.id).where(Trial.run_id == run_id)
    counts = [
        await session.scalar(select(func.count()).where(table.trial_id.in_(trials)))
        for table in (FrameRow, LatencyIntervalRow)
    ]
    return sum(count or 0 for count in counts) + await sources.count(session, trials)


async def _pieces(database: Database, run_id: UUID, origin: str, summary: str) -> AsyncGenerator[bytes]:
    stream, files = ZipStream(), []
    async with database.transaction() as session:
        key = await own_key(session)
    async with database.transaction() as session:
        await one_snapshot(session)
        run = await service.get(session, run_id)
        async for name, lines in _files(session, run, summary):
            with stream.file(name) as file:
                async for text in lines:
                    await asyncio.to_thread(file.write, text)
                    yield stream.taken()
            files.append({"name": name, "bytes": file.bytes, "sha256": file.sha256.hexdigest()})
    manifest: dict[str, Any] = {
        "format": layout.FORMAT, "version": layout.VERSION, "origin": origin, "written_at": utcnow().isoformat(),
        "run_id": str(run_id), "files": files,
    }  # fmt: skip
    with stream.file(layout.MANIFEST) as file:
        file.write(json_line(manifest | {"signature": signature(key, manifest)}))
    stream.close()
    yield stream.taken()


async def _files(session: AsyncSession, run: Run, summary: str) -> AsyncIterator[tuple[str, Lines]]:
    trials = await repository.trials(session, run.id)
    hosts = {host_id: place for place, host_id in enumerate(dict.fromkeys(entry.host_id for entry in run.hosts))}
    yield layout.RUN, _whole(json_line(await _run(session, run, trials)))
    yield layout.TRIALS, trial_lines(trials, hosts)
    for name in ROWS:
        yield name, row_lines(session, name, trials, hosts)
    yield layout.SUMMARY, _whole(summary.encode())


async def _whole(text: bytes) -> Lines:
    yield text


async def _run(session: AsyncSession, run: Run, trials: Any) -> Mapping[str, Any]:
    """Texts are redacted; the definition is as its author wrote it, since a report is computed from it."""
    version = run.version
    places = {trial.id: place for place, trial in enumerate(trials)}
    use, stale = await used(session, run, definition_of(run))
    facts = {name: getattr(run, name) for name in _RUN_FIELDS}
    facts |= {name: time.isoformat() for name, time in facts.items() if name.endswith("_at") and time is not None}
    experiment = {
        "id": str(run.experiment_id), "name": version.experiment.name, "version": version.number,
        "template_key": version.experiment.template_key, "definition": version.definition,
    }  # fmt: skip
    return {
        "id": str(run.id),
        **redacted_json(facts),
        "author": display_name(run.imported.author if run.imported else run.author.email),
        "experiment": experiment,
        "hosts": _hosts(run),
        "windows": await _windows(session, run, places),
        "notes": await _notes(session, run, places),
        "judgements": _judgements(run),
        "calibration": use.model_dump(mode="json") if use is not None else None,
        "calibration_stale": stale,
    }


def _hosts(run: Run) -> list[dict[str, Any]]:
    found: dict[UUID, dict[str, Any]] = {}
    for entry in run.hosts:
        made = {"id": str(entry.host_id), "name": entry.host.name, "slots": []}
        host = found.setdefault(entry.host_id, made | {"inventory": _inventory(entry.inventory)})
        host["slots"].append(entry.slot)
    return list(found.values())


def _inventory(stored: Mapping[str, Any]) -> dict[str, Any]:
    bare = dict(stored)
    if isinstance(nics := bare.get("nics"), list):
        bare["nics"] = [nic | {"addresses": []} if isinstance(nic, dict) else nic for nic in nics]
    kept: dict[str, Any] = redacted_json(bare)
    return kept


async def _windows(session: AsyncSession, run: Run, places: Mapping[UUID, int]) -> list[dict[str, Any]]:
    return [
        {
            "trial": places[change.trial_id] if change.trial_id is not None else None,
            "start_s": change.start_s,
            "end_s": change.end_s,
            "reason": change.reason,
            "changed_by": display_name(change.changed_by_name or change.author.email),
            "changed_at": change.changed_at.isoformat(),
        }
        for change in await changes_of(session, run.id)
    ]


def _judgements(run: Run) -> list[dict[str, Any]]:
    """What earlier versions of the method said, and last what is in force."""
    own = judgement(run)
    every = [*reversed(judged_before(run)), *([own] if own is not None else [])]
    return [redacted_json(one.model_dump(mode="json")) for one in every]


async def _notes(session: AsyncSession, run: Run, places: Mapping[UUID, int]) -> list[dict[str, Any]]:
    return [
        {
            "id": str(note.id),
            "trial": places[note.trial_id] if note.trial_id is not None else None,
            "t_s": note.t_s,
            "text": redacted_json(note.text),
            "author": display_name(note.author_name or note.author.email),
            "created_at": note.created_at.isoformat(),
            "edited_at": note.edited_at.isoformat() if note.edited_at is not None else None,
        }
        for note in await notes.of_run(session, run.id)
    ]


def display_name(email: str) -> str:
    """The name by which somebody is shown elsewhere: without the address at which they can be reached."""
    return email.partition("@")[0][:120] or "somebody"


_EPOCH = (1980, 1, 1, 0, 0, 0)


class _Sink(io.RawIOBase):
    """Collects what is written; it cannot seek, so sizes follow each file."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.parts.append(bytes(data))
        return len(data)


class Written:
    """A file of the archive while it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sha256, self.bytes = hashlib.sha256(), 0

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self.sha256.update(data)
        self.bytes += len(data)


class ZipStream:
    """After each write, :meth:`taken` has what can be sent."""

    def __init__(self) -> None:
        self._sink = _Sink()
        self._zip = ZipFile(self._sink, "w", ZIP_DEFLATED, compresslevel=6)

    @contextmanager
    def file(self, name: str) -> Iterator[Written]:
        """The same content makes the same bytes: all files have one date."""
        info = ZipInfo(name, _EPOCH)
        info.compress_type = ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        with self._zip.open(info, "w", force_zip64=True) as file:
            yield Written(file)

    def close(self) -> None:
        self._zip.close()

    def taken(self) -> bytes:
        parts, self._sink.parts = self._sink.parts, []
        return b"".join(parts)
