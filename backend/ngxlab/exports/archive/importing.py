"""Take in a run that another installation measured."""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO

from ngxlab.accounts.access import Caller
from ngxlab.audit.acts import Act
from ngxlab.core.database import Database
from ngxlab.core.errors import ContentTooLarge
from ngxlab.experiments.preview_process import PreviewProcess
from ngxlab.exports.archive.reading import MOST_BYTES, Archive, bad
from ngxlab.exports.archive.storing import store
from ngxlab.exports.archive.validation import read_all, require_matching
from ngxlab.runs import service as runs
from ngxlab.runs.audit_entries import recorded
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed
from ngxlab.runs.schemas import RunDetail


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
