"""Imports are done by a process of their own, whose time and memory are bounded: ``python -m`` this module.

It gets its order, with the addresses of PostgreSQL and Redis, through its standard input, and answers with the id of
the run or with what is wrong. It ends with its parent; what it had stored by then is removed, unless it is all.
"""

import asyncio
import ctypes
import hashlib
import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import IO, Any
from uuid import UUID, uuid4

import structlog
from pydantic import BaseModel
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Account, ApiToken
from ngxlab.audit.acts import Act
from ngxlab.core import logs
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import ApiError, ContentTooLarge, Invalid, existing
from ngxlab.core.request_context import RequestContext, current_request, work_for
from ngxlab.core.subprocess_pool.process import ENVIRONMENT, allow_most_memory, limit_memory, raised, refusal
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments.preview_work import DefinitionJob, read_definition
from ngxlab.exports.archive.reading import MOST_BYTES, MOST_SECONDS, Archive, bad
from ngxlab.exports.archive.staging import Staged, claim, ids_taken, stage
from ngxlab.exports.archive.storing import store
from ngxlab.exports.archive.validation import Content, read_all, require_matching
from ngxlab.metrics.models import StagedRun
from ngxlab.metrics.staging import give_up
from ngxlab.runs import service as runs
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed
from ngxlab.runs.schemas import RunDetail
from ngxlab.runs.service import recorded

log = structlog.get_logger()

SECONDS = 2 * MOST_SECONDS
_CLAIMED_S = SECONDS + 60
"""For as long as it may take, since nobody else tells where this process and its parent were killed."""
_FRUGAL = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
_COMMAND = (sys.executable, "-m", "ngxlab.exports.archive.importing")
_TO_READ_AND_STORE = 128 << 20
"""Bytes of memory, whatever the archive: what is usual takes a tenth. The analysis of its run may take more."""
_STACK_BYTES = 2 << 20
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Order(BaseModel):
    """``id``: of the claim to its trials. ``file``: the descriptor of the archive, which the process inherits.
    ``token_id``: of the API token that asked, if one did. ``request``: the one that is answered with the run."""

    id: UUID
    database_url: str
    redis_url: str
    redis_options: dict[str, Any]
    account_id: UUID
    token_id: UUID | None
    own_address: str
    file: int
    sha256: str
    request: RequestContext | None


async def import_run(
    settings: Settings,
    database: Database,
    caller: Caller,
    body: AsyncIterator[bytes],
    place: AbstractAsyncContextManager[None],
) -> RunDetail:
    """Nothing is stored before all of it has been read and found sound, and nothing stays of what is then refused.
    ``place``: held while the archive is taken in,
    not while it is received. Raises Invalid, Conflict, ContentTooLarge."""
    with tempfile.TemporaryFile() as file:  # without a name, so that nothing is left of it if this process is killed
        order = Order(
            id=uuid4(),
            database_url=settings.database_url.get_secret_value(),
            redis_url=settings.redis_url.get_secret_value(),
            redis_options=settings.redis_options,
            account_id=caller.account.id,
            token_id=caller.token.id if caller.token else None,
            own_address=settings.public_url,
            file=file.fileno(),
            sha256=await _received(file, body),
            request=current_request(),
        )
        async with place:
            try:
                run_id = await in_own_process(order)
            except BaseException:
                async with database.transaction() as session:
                    await give_up(session, StagedRun.id == order.id)
                raise
    async with database.transaction() as session:
        return await runs.detail(session, run_id, caller)


async def _received(file: IO[bytes], body: AsyncIterator[bytes]) -> str:
    """Its SHA-256, once all of it is on the disk."""
    found, size = hashlib.sha256(), 0
    async for piece in body:
        size += len(piece)
        if size > MOST_BYTES:
            raise ContentTooLarge("An archive has at most {most} MiB.", most=MOST_BYTES >> 20)
        found.update(piece)
        await asyncio.to_thread(file.write, piece)
    await asyncio.to_thread(file.flush)
    return found.hexdigest()


async def in_own_process(order: Order) -> UUID:
    """:func:`take_in`, which cannot take more memory or time than an import may."""
    environment = {name: value for name, value in os.environ.items() if name in ENVIRONMENT}
    process = await asyncio.create_subprocess_exec(
        *_COMMAND,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, start_new_session=True,
        pass_fds=(order.file,), env=environment | _FRUGAL,
    )  # fmt: skip
    try:
        answer, _ = await asyncio.wait_for(process.communicate(order.model_dump_json().encode()), SECONDS)
    except TimeoutError:
        raise bad(f"It takes more than {SECONDS:g} s to take in") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if not answer:  # the kernel, or its own limit, has ended it
        log.warning("an import was ended", status=process.returncode)
        raise Invalid("This archive takes more memory to read than an import may have.", code="too-costly")
    told = json.loads(answer)
    if "refusal" in told:
        raise raised(told["refusal"])
    return UUID(told["run_id"])


async def take_in(order: Order) -> UUID:
    """Read and store the run of an archive; its id. Raises Invalid and Conflict; then nobody sees anything of it."""
    redis = connect_redis(order.redis_url, **order.redis_options)
    database = Database(order.database_url, Bus(redis, order.redis_url, **order.redis_options))
    try:
        with Archive(Path(f"/proc/self/fd/{order.file}")) as archive:
            content = read_all(archive)
            raw = DefinitionJob(definition=content.run.experiment.definition)
            definition = Definition.model_validate_json(read_definition(raw.model_dump_json()))
            require_matching(content, definition)
            async with database.transaction() as session:
                caller = await _caller(session, order)
                hosts = await claim(
                    session, caller, archive, content, definition, staged_id=order.id, seconds=_CLAIMED_S
                )
            await stage(database, archive, content, order.id, hosts)
            staged = Staged(order.id, hosts, definition, order.sha256, order.own_address)
            async with database.transaction() as session:
                return await _link(session, await _caller(session, order), archive, content, staged)
    except IntegrityError as error:  # another import of the same ids was quicker
        raise ids_taken() from error
    finally:
        await redis.aclose()
        await database.close()


async def _link(session: AsyncSession, caller: Caller, archive: Archive, content: Content, staged: Staged) -> UUID:
    run = await store(session, caller, archive, content, staged)
    session.expire_all()
    await session.refresh(run)
    if caller.token is not None:
        await session.refresh(caller.token)
    allow_most_memory()
    if (await analyse(session, run, computed)).unreadable:
        raise bad("Its trials cannot be analysed")
    await session.flush()
    shown = await runs.detail(session, run.id, caller)
    await recorded(session, caller, Act.run_imported, shown, origin=archive.manifest.origin)
    return run.id


async def _caller(session: AsyncSession, order: Order) -> Caller:
    account = existing(await session.get(Account, order.account_id), "account")
    token = await session.get(ApiToken, order.token_id) if order.token_id else None
    return Caller(account, token=token)


def main() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    logs.configure("WARNING")
    order = Order.model_validate_json(sys.stdin.buffer.read())
    threading.stack_size(_STACK_BYTES)
    limit_memory(_TO_READ_AND_STORE)
    work_for(order.request)
    try:
        told = {"run_id": str(asyncio.run(take_in(order)))}
    except ApiError as error:
        told = {"refusal": refusal(error)}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
