"""What an upgrade to this version does to an installation, tried on a copy of its data.

The copy is in a database of its own, which goes afterwards: the installation is neither asked nor changed.
"""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.method import METHOD, VERSIONS
from ngxlab.core.backup import restore
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.disk import NEEDED_BYTES
from ngxlab.core.migrate import upgrade
from ngxlab.hosts import availability, joining
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import registered_hosts
from ngxlab.runs import repository as runs
from ngxlab.runs.presentation import judgement
from ngxlab.runs.results import analysis
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed
from ngxlab.runs.schemas import Judgement

MOST_RUNS = 200
"""That are judged, unless all are asked for: each takes a tenth of a second, or as many seconds as it has hours."""
_PROGRESS_EVERY_S = 10.0

Say = Callable[[str], object]


def check(settings: Settings, file: Path, most_runs: int | None, say: Say) -> list[str]:
    """Restore a backup into the empty database of ``settings``, and tell what this version does to it.

    Returns what will change. Raises BackupError and UnfitDatabaseError. ``most_runs``: the newest are judged.
    """
    url = (settings.migration_database_url or settings.database_url).get_secret_value()
    began = time.monotonic()
    made = restore(url, file, replace=False)
    restored, size = time.monotonic(), asyncio.run(_bytes(settings))
    of = f"{made.made_at:%Y-%m-%d %H:%M} UTC (ngxlab {made.ngxlab}, schema {made.schema_revision})"
    say(f"The data of {of} are restored in {restored - began:.0f} s.")
    upgrade(url)
    took_s, after = time.monotonic() - restored, asyncio.run(_bytes(settings))
    say(
        f"Migrations take {took_s:.1f} s on them. The database has {size / 2**20:,.0f} MiB, {after / 2**20:,.0f} after."
    )
    return [*_room(settings, after - size), *asyncio.run(_compare(settings, most_runs, say))]


def _room(settings: Settings, grown: int) -> Iterator[str]:
    if settings.data_dir is None:
        return
    free, needed = shutil.disk_usage(settings.data_dir).free, max(0, grown) + NEEDED_BYTES
    if free < needed:
        yield f"the disk is too full: {needed >> 20:,} MiB are needed, {free >> 20:,} MiB are free"


async def _bytes(settings: Settings) -> int:
    database = _database(settings)
    try:
        return int((await database.alone(text("SELECT pg_database_size(current_database())")))[0][0])
    finally:
        await database.close()


def _database(settings: Settings) -> Database:
    """Nothing is ever announced: no transaction here is committed."""
    redis_url = settings.redis_url.get_secret_value()
    redis = connect_redis(redis_url, **settings.redis_options)
    return Database(settings.database_url.get_secret_value(), Bus(redis, redis_url, **settings.redis_options))


async def _compare(settings: Settings, most_runs: int | None, say: Say) -> list[str]:
    database = _database(settings)
    try:
        async with database.transaction() as session:
            hosts, ids = await registered_hosts(session), await analysis.outdated(session)
        changes = list(_agents(hosts, settings, say))
        tried = ids[:most_runs]
        say(f"An earlier version of the method has judged {len(ids)} runs; this one is version {METHOD}.")
        if len(tried) < len(ids):
            say(f"The newest {len(tried)} of them are judged now; ALL=1 judges all.")
        differing = await _judge(database, tried, say)
    finally:
        await database.close()
    for one in differing:
        say(f"  {one.name} ({one.id})\n    said:  {one.before}\n    says:  {one.after}")
    if not differing:
        return changes
    news = "; ".join(f"{version.number}: {version.what}" for version in VERSIONS)
    say(f"Their reports will show both. Versions of the method, and what each has changed: {news}.")
    return [*changes, f"{len(differing)} of {len(tried)} runs are judged differently"]


def _agents(hosts: Sequence[Host], settings: Settings, say: Say) -> Iterator[str]:
    """Say which agents this version does not speak with any more, and which are only older."""
    silent = []
    for host in hosts:
        if skew := availability.skew(host.agent_version, host.protocol):
            heard = f"heard last {host.heartbeat_at:%Y-%m-%d %H:%M} UTC" if host.heartbeat_at else "never heard"
            say(f"Host {host.name} {skew} ({heard}).")
            silent.append(host.name)
        elif older := availability.age(host.agent_version, host.protocol):
            say(f"Host {host.name} goes on working. {older}")
    if silent:
        say(f"After the upgrade, run this line on each of them, as root:\n  {joining.upgrade_command(settings)}")
        yield f"agents stop talking: {', '.join(silent)}"
    else:
        say("All agents go on talking.")


class Differing(NamedTuple):
    """A run of which this version says something else; or why it cannot be judged any more."""

    id: UUID
    name: str
    before: str
    after: str


class _Undone(Exception):
    """What was tried is rolled back."""


async def _judge(database: Database, run_ids: Sequence[UUID], say: Say) -> list[Differing]:
    found, told = list[Differing](), time.monotonic()
    for place, run_id in enumerate(run_ids, start=1):
        with suppress(_Undone):
            async with database.transaction() as session:
                found += await _judged(session, run_id)
                raise _Undone
        if time.monotonic() - told > _PROGRESS_EVERY_S:
            told = time.monotonic()
            say(f"  {place} of {len(run_ids)} are judged, {len(found)} differently")
    return found


async def _judged(session: AsyncSession, run_id: UUID) -> Iterable[Differing]:
    if (run := await runs.run(session, run_id)) is None or (before := judgement(run)) is None:
        return []
    name, known = f"{run.version.experiment.name} #{run.number}", len(run.judged_before)
    try:
        await analyse(session, run, computed)
    except Exception as error:  # noqa: BLE001 (whatever stored data provoke is told of this run alone)
        return [Differing(run_id, name, before.headline, f"cannot be judged: {type(error).__name__}: {error}")]
    after = judgement(run)
    if len(run.judged_before) == known or after is None:
        return []
    return [Differing(run_id, name, *_difference(before, after))]


def _difference(before: Judgement, after: Judgement) -> tuple[str, str]:
    """The answers that are not the same, in short, as lists have them; or the headlines."""
    said, says = _answers(before), _answers(after)
    if len(said) == len(says) and said != says:
        pairs = [(one, other) for one, other in zip(said, says, strict=True) if one != other]
        return "; ".join(one for one, _ in pairs), "; ".join(other for _, other in pairs)
    return before.headline, after.headline


def _answers(judged: Judgement) -> list[str]:
    return [f"{one.question} {one.word}: {one.text}" for one in judged.answers]
