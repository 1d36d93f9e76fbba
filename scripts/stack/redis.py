"""The private Redis: broker and live fan-out. It stores nothing on disk, as nothing in it has to last.

Its configuration knows one user, the backend, which makes those of the hosts and of the coordinator.
"""

import hashlib
from urllib.parse import urlsplit

from ngxlab_contracts.broker import without_user
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from scripts.stack.accounts import chown_tree
from scripts.stack.credentials import write_private
from scripts.stack.settings import Settings

USER = "redis"
BACKEND_USER = "ngxlab-backend"
BACKEND_RIGHTS = "~* &* +@all -@admin -@dangerous +acl +info"
"""All data, and the users: nothing that administers the server itself."""
CLOSED = "off resetpass resetkeys -@all"
"""The default user. While it could do without a password, Redis would refuse every connection from another machine."""
SPARING = "hz 1"
"""What expires does so when it is asked for: there is nothing to look for ten times a second. docker-compose.yml says
the same."""
DEFAULT_PORT = 6379
ANSWER_TIMEOUT_S = 2

LOOPBACK = "127.0.0.1"


def url(settings: Settings, password: str) -> str:
    return settings.redis_url or f"redis://{BACKEND_USER}:{password}@{LOOPBACK}:{settings.redis_port}/0"


def url_for_workers(settings: Settings) -> str:
    """The URL of Redis without a user: coordinator and agents log in as users of their own."""
    return without_user(settings.redis_url or f"redis://{LOOPBACK}:{settings.redis_port}/0")


def url_for_agents(settings: Settings) -> str:
    """The same for agents of other hosts: at the public address, if the product listens beyond loopback."""
    if settings.redis_url is not None or settings.bind == LOOPBACK:
        return url_for_workers(settings)
    public = urlsplit(settings.passed_on.get("NGXLAB_PUBLIC_URL", "")).hostname
    return f"redis://{public or settings.bind}:{settings.redis_port}/0"


def command(settings: Settings) -> list[str]:
    return ["redis-server", str(settings.run / "redis.conf")]


def config(settings: Settings, password: str) -> str:
    """It has the password's digest; the default user, which needs none, is off."""
    hashed = hashlib.sha256(password.encode()).hexdigest()
    addresses = LOOPBACK if settings.bind == LOOPBACK else f"{LOOPBACK} {settings.bind}"
    if settings.bind == "0.0.0.0":
        addresses = settings.bind
    return (
        f"bind {addresses}\nport {settings.redis_port}\nprotected-mode yes\ndaemonize no\n"
        f"dir {settings.run}\nsave \"\"\nappendonly no\nmaxmemory-policy noeviction\n{SPARING}\n"
        f"user default {CLOSED}\nuser {BACKEND_USER} on #{hashed} {BACKEND_RIGHTS}\n"
    )  # fmt: skip


def write_config(settings: Settings, password: str) -> None:
    path = settings.run / "redis.conf"
    write_private(path, config(settings, password))
    chown_tree(path, USER)


def complaint(redis_url: str, ca_file: str | None) -> str | None:
    """Log in and PING. ``None`` if Redis answers, else the reason why not."""
    host, port = address(redis_url)
    tls = {"ssl_ca_certs": ca_file} if redis_url.startswith("rediss:") else {}
    at_once = Retry(NoBackoff(), 0)
    try:
        with Redis.from_url(
            redis_url, socket_timeout=ANSWER_TIMEOUT_S, socket_connect_timeout=ANSWER_TIMEOUT_S, retry=at_once, **tls
        ) as client:
            client.ping()
    except (RedisError, OSError) as error:
        return f"{host}:{port}: {error}"
    return None


def address(redis_url: str) -> tuple[str, int]:
    parts = urlsplit(redis_url)
    return parts.hostname or "localhost", parts.port or DEFAULT_PORT
