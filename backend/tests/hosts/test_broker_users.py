"""Redis knows exactly the hosts that PostgreSQL knows, each by a password of its own."""

import hashlib
import json

import pytest
from harness import COORDINATOR_TOKEN, Agent, Backend
from ngxlab.core.config import Settings
from ngxlab.hosts.broker_users import LAST_LOOK
from ngxlab.hosts.models import Host
from ngxlab_contracts.broker import COORDINATOR_USER, broker_password, host_user, with_user
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError
from services import wait_until
from sqlalchemy.ext.asyncio import AsyncSession


def login(backend: Backend, user: str, credential: str) -> Redis:
    url = with_user(backend.settings.redis_url.get_secret_value(), user, broker_password(credential))
    return Redis.from_url(url)


def credential_of(agent: Agent) -> str:
    return agent.client.headers["Authorization"].removeprefix("Bearer ")


def admitted(backend: Backend, user: str, credential: str) -> bool:
    try:
        with login(backend, user, credential) as redis:
            return bool(redis.ping())
    except AuthenticationError:
        return False


def administrator(backend: Backend) -> Redis:
    return Redis.from_url(backend.settings.redis_url.get_secret_value())


def forget_the_last_look(redis: Redis) -> None:
    """As if half a minute had passed, after which the users are looked at again."""
    redis.delete(LAST_LOOK)


def test_a_new_host_may_log_in_at_once_and_read_its_queue_only(backend: Backend) -> None:
    agent, other = backend.agent(), backend.agent()
    with login(backend, host_user(agent.host_id), credential_of(agent)) as redis:
        assert redis.brpop(host_user(agent.host_id), 1) is None
        with pytest.raises(NoPermissionError):
            redis.brpop(host_user(other.host_id), 1)
    assert not admitted(backend, host_user(agent.host_id), credential_of(other))
    wait_until(lambda: admitted(backend, COORDINATOR_USER, COORDINATOR_TOKEN), "the coordinator's user")


def test_a_removed_host_is_shut_out_and_its_connection_ends(backend: Backend) -> None:
    agent, admin = backend.agent(), backend.person()
    with login(backend, host_user(agent.host_id), credential_of(agent)) as redis:
        redis.ping()
        admin.client.delete(f"/hosts/{agent.host_id}").raise_for_status()
        with pytest.raises(RedisError):
            redis.ping()
    assert not admitted(backend, host_user(agent.host_id), credential_of(agent))


def test_what_redis_has_forgotten_is_made_again_and_strangers_go(backend: Backend) -> None:
    agent = backend.agent()
    user, stranger = host_user(agent.host_id), host_user("00000000-0000-0000-0000-00000000000e")
    with administrator(backend) as redis:
        redis.acl_deluser(user, COORDINATOR_USER)
        redis.execute_command("ACL SETUSER", stranger, "on", "nopass", "~*", "+@all")
        assert stranger in redis.acl_users()
        forget_the_last_look(redis)
    wait_until(lambda: admitted(backend, user, credential_of(agent)), "the host's user, again")
    wait_until(lambda: admitted(backend, COORDINATOR_USER, COORDINATOR_TOKEN), "the coordinator's user, again")
    with administrator(backend) as redis:
        wait_until(lambda: stranger not in redis.acl_users(), "the end of a user that is no host's")


def test_a_user_with_more_rights_than_it_should_have_loses_them(backend: Backend) -> None:
    agent = backend.agent()
    user = host_user(agent.host_id)
    with administrator(backend) as redis, login(backend, user, credential_of(agent)) as own:
        redis.execute_command("ACL SETUSER", user, "~*", "+@all")
        forget_the_last_look(redis)

        def refused() -> bool:
            try:
                own.get("anything")
            except NoPermissionError:
                return True
            return False

        wait_until(refused, "the host's own rights")


def test_a_host_without_a_user_gets_one_with_a_heartbeat(backend: Backend) -> None:
    agent = backend.agent()

    async def forget(session: AsyncSession) -> None:
        host = await session.get(Host, agent.host_id)
        assert host is not None
        host.broker_password_hash = None

    backend.operator(forget)
    with administrator(backend) as redis:
        redis.acl_deluser(host_user(agent.host_id))
    assert not admitted(backend, host_user(agent.host_id), credential_of(agent))
    agent.beat().raise_for_status()
    assert admitted(backend, host_user(agent.host_id), credential_of(agent))


def test_the_address_that_hosts_get_names_no_user(settings: Settings) -> None:
    own = settings.model_copy(update={"agent_broker_url": None, "redis_url": settings.redis_url})
    assert "@" not in own.broker_url_for_agents
    secret = Settings(
        DATABASE_URL="postgresql://unused", REDIS_URL="rediss://admin:secret@lab:6380/1", coordinator_token="x" * 32
    )
    assert secret.broker_url_for_agents == "rediss://lab:6380/1"


def test_redis_does_not_learn_a_credential(backend: Backend) -> None:
    agent = backend.agent()
    credential = credential_of(agent)
    with administrator(backend) as redis:
        known = json.dumps(redis.acl_list(), default=str)
    assert credential not in known
    assert hashlib.sha256(credential.encode()).hexdigest() not in known
