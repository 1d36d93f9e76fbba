"""The users of Redis: one for each host and one for the coordinator, as PostgreSQL knows them.

Redis keeps nothing, so what is missing there is made again every few seconds. What each user may do is part of the
contract with the workers: :mod:`ngxlab_contracts.broker`.
"""

from collections.abc import Iterable

from ngxlab_contracts.broker import (
    COORDINATOR_USER,
    HOST_PREFIX,
    broker_password,
    coordinator_rules,
    host_rules,
    host_user,
    password_hash,
)
from redis.asyncio import Redis
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.config import Settings
from ngxlab.core.database import Database, after_commit, bus_of
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, Round, job
from ngxlab.hosts import repository
from ngxlab.hosts.models import Host

LAST_LOOK = "ngxlab:users-made"
"""A key of Redis: once it is gone, somebody looks again. A Redis that was restarted has forgotten it with the users."""
_EVERY_S = 30


def admit(session: AsyncSession, host: Host, credential: str) -> None:
    """Give a host its user. Has no effect where it has it already: the keeper sees to the rest."""
    hashed = password_hash(broker_password(credential))
    if host.broker_password_hash == hashed:
        return
    host.broker_password_hash = hashed
    redis, host_id = bus_of(session).redis, host.id
    after_commit(session, lambda: _set(redis, host_user(host_id), host_rules(host_id, hashed)))


def dismiss(session: AsyncSession, host: Host) -> None:
    """Take a host's user away, which also ends its connections."""
    host.broker_password_hash = None
    redis, user = bus_of(session).redis, host_user(host.id)
    after_commit(session, lambda: _delete(redis, [user]))


class BrokerUsers:
    """Keeps Redis in step with PostgreSQL. Several processes may do so at once."""

    def __init__(self, database: Database, redis: Redis, settings: Settings) -> None:
        self._database = database
        self._redis = redis
        token = settings.coordinator_token.get_secret_value()
        self._coordinator = coordinator_rules(password_hash(broker_password(token)))
        self._made: dict[str, tuple[list[str], str]] = {}
        """Each user's rules, and what Redis made of them."""

    async def look(self) -> None:
        """Make what is missing or altered, and remove the users of hosts that are no more."""
        # First Redis, then PostgreSQL: a user made in between belongs to a host that PostgreSQL then knows.
        present = await _present(self._redis)
        hashes = await repository.broker_password_hashes(self._database)
        users = {host_user(host_id): host_rules(host_id, hashed) for host_id, hashed in hashes.items()}
        strangers = {name for name in present if name.startswith(HOST_PREFIX)} - users.keys()
        await _delete(self._redis, strangers)
        users[COORDINATOR_USER] = self._coordinator
        if wanting := {name for name, rules in users.items() if self._made.get(name) != (rules, present.get(name, ""))}:
            async with self._redis.pipeline(transaction=False) as pipe:
                for name in wanting:
                    pipe.execute_command("ACL SETUSER", name, *users[name])
                await pipe.execute()
            present = await _present(self._redis)
        self._made = {name: (rules, present[name]) for name, rules in users.items() if name in present}
        await self._redis.set(LAST_LOOK, "1", ex=_EVERY_S)


async def _present(redis: Redis) -> dict[str, str]:
    """The users that Redis has, by name, each as it writes them itself: ``user NAME on ...``."""
    lines = [line if isinstance(line, str) else line.decode() for line in await redis.acl_list()]
    return {line.split(" ", 2)[1]: line for line in lines}


async def _set(redis: Redis, name: str, rules: list[str]) -> None:
    await redis.execute_command("ACL SETUSER", name, *rules)  # type: ignore[no-untyped-call]


async def _delete(redis: Redis, names: Iterable[str]) -> None:
    if listed := list(names):
        await redis.acl_deluser(*listed)


@job("broker-users", Queue.now, limit_s=60, is_round=True)
async def renew_users(task: Task) -> None:
    """Keep Redis in step with PostgreSQL."""
    service = task.service
    own: BrokerUsers = service.own.setdefault("users", BrokerUsers(task.database, service.redis, service.settings))
    await own.look()


def round_of_users() -> Round:
    return Round(renew_users, marker=LAST_LOOK)
