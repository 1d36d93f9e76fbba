"""Who may do what in Redis, the broker: a user for each host and one for the coordinator.

The backend makes these users (``hosts/broker_users.py``); agents and coordinator log in as them. Each has the keys and
commands below and no others: no publishing, no subscribing, no scripts, nothing that administers the server.
"""

import hashlib
import hmac
import ssl
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit
from uuid import UUID

COORDINATOR_QUEUE = "coordinator"

TASK_DRIVE_RUN = "ngxlab.drive_run"
"""Arguments: ``[run_id]``. A hint that the run needs a coordinator; the lease decides which one drives it."""

TASK_RUN_TRIAL = "ngxlab.run_trial"
"""Arguments: ``[trial_id]``. A hint to a host's agent; it claims the spec from the backend itself."""

TASK_TEST_CONFIG = "ngxlab.test_config"
"""Arguments: ``[test_id]``. A hint to a target's agent to test configurations with its real nginx."""

TASKS = frozenset({TASK_DRIVE_RUN, TASK_RUN_TRIAL, TASK_TEST_CONFIG})


def host_queue(host_id: UUID | str) -> str:
    """The queue that only the agent of this host consumes."""
    return f"host.{host_id}"


HOST_PREFIX = host_queue("")
COORDINATOR_USER = COORDINATOR_QUEUE

_CONNECTING = ("+ping", "+hello", "+select")
_CONSUMING = ("+brpop", "+llen", "+multi", "+exec")


def host_user(host_id: UUID | str) -> str:
    """The user of a host has the name of its queue."""
    return host_queue(host_id)


def broker_password(credential: str) -> str:
    """The password that goes with a host's credential, or with the coordinator's token.

    Derived, so that Redis, which sees it in clear, does not learn the credential.
    """
    return hmac.new(credential.encode(), b"ngxlab broker", hashlib.sha256).hexdigest()


def password_hash(password: str) -> str:
    """As Redis takes it after ``#``."""
    return hashlib.sha256(password.encode()).hexdigest()


def host_rules(host_id: UUID | str, hashed: str) -> list[str]:
    """The arguments of ACL SETUSER: a host takes messages from its own queue."""
    return ["reset", "on", f"#{hashed}", f"~{host_queue(host_id)}", *_CONSUMING, *_CONNECTING]


def coordinator_rules(hashed: str) -> list[str]:
    """The arguments of ACL SETUSER: the coordinator takes from its queue, and puts into those of hosts."""
    hosts = f"(%W~{host_queue('*')} +lpush +llen)"
    return ["reset", "on", f"#{hashed}", f"~{COORDINATOR_QUEUE}", *_CONSUMING, *_CONNECTING, hosts]


def without_user(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def with_user(url: str, user: str, password: str) -> str:
    """The address of Redis for this user, whoever it named before."""
    parts = urlsplit(without_user(url))
    return urlunsplit(parts._replace(netloc=f"{quote(user)}:{quote(password)}@{parts.netloc}"))


def tls_options(url: str, ca_file: str | None) -> dict[str, Any]:
    """What Redis clients need beside a ``rediss://`` URL: a verified certificate. Empty for ``redis://``.

    ``ca_file``: PEM of the authority that signed the server's certificate; the system's authorities where ``None``.
    """
    if urlsplit(url).scheme != "rediss":
        return {}
    options: dict[str, Any] = {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}
    return options | ({"ssl_ca_certs": ca_file} if ca_file else {})
