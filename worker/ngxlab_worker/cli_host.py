"""What ``ngxlab-worker agent``, ``coordinator`` and ``host …`` do."""

import argparse
import logging
import sys
import time
from collections.abc import Callable

import structlog
from ngxlab_contracts.hosts import HostStanding
from structlog.typing import Processor

from ngxlab_worker.agent import caps, joining
from ngxlab_worker.agent.agent import Agent, AgentRunningError
from ngxlab_worker.agent.credential import Credential, NotEnrolledError
from ngxlab_worker.core.settings import (
    AgentSettings,
    CoordinatorSettings,
    SettingInvalidError,
    SettingMissingError,
    log_format,
    log_level,
)
from ngxlab_worker.tasks import serve_agent, serve_coordinator
from ngxlab_worker.uplink.api_client import (
    AgentClient,
    ApiError,
    ApiRefusedError,
    ApiUnavailableError,
    ApiUntrustedError,
)

_TEXT = structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])
_JSON = structlog.processors.JSONRenderer(default=str)


def configure_logs(level: str, form: str = "text") -> None:
    """Log each event as one ``key=value`` line, or with the form ``json`` as an object, those of libraries too.

    Raises ``ValueError`` for an unknown level.
    """
    handler = logging.StreamHandler(sys.stderr)
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.getLogger("urllib3").setLevel(logging.WARNING)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    rendered = _JSON if form == "json" else _TEXT
    finished: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, rendered]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=finished, foreign_pre_chain=shared))
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


REFUSALS = (
    SettingInvalidError,
    SettingMissingError,
    NotEnrolledError,
    AgentRunningError,
    caps.CapsError,
    LookupError,
    joining.BrokerUnreachableError,
    joining.NotInstalledError,
    ApiError,
    OSError,
)


def perform(arguments: argparse.Namespace) -> int:
    """Perform a command. An error that the user can fix is one line on standard error and exit code 1."""
    actions: dict[str, Callable[[argparse.Namespace], int | None]] = {
        "agent": _agent,
        "coordinator": _coordinator,
        "join": _join,
        "status": _status,
        "upgrade": _upgrade,
        "leave": _leave,
    }
    try:
        joining.adopt_settings()
        configure_logs(log_level(), log_format())
        return actions[arguments.action](arguments) or 0
    except REFUSALS as error:
        sys.stderr.write(f"ngxlab-worker: {error}\n")
        return 1


def _agent(_: argparse.Namespace) -> None:
    settings = AgentSettings.from_environment()
    caps.load(settings.folder)  # an unusable file must not mean that everything is allowed
    agent = Agent(settings, Credential.load(settings.folder))
    agent.claim_folder()
    serve_agent(agent)


def _coordinator(_: argparse.Namespace) -> None:
    serve_coordinator(CoordinatorSettings.from_environment())


def _join(arguments: argparse.Namespace) -> None:
    settings = AgentSettings.from_environment()
    caps.write_template(settings.folder)
    token = arguments.token or sys.stdin.readline().strip()
    if arguments.keep and (known := joining.known_host(settings, arguments.url)) is not None:
        sys.stdout.write(f"this machine is host {known.name} ({known.host_id}) already; the token stays unused\n")
        return
    credential = joining.enrol(settings, arguments.url, token, arguments.name)
    path = credential.save(settings.folder)
    sys.stdout.write(f"host {arguments.name} ({credential.host_id}) joined; credential in {path}\n")
    sys.stdout.write(f"set what it may be used for in {settings.folder / caps.FILE_NAME}\n")


READY = frozenset({"idle", "busy", "draining"})
"""States of a host whose agent and server understand each other."""
_POLL_S = 0.5
_NOT_SIGNED_IN = 401


def _status(arguments: argparse.Namespace) -> int:
    _, credential, server = _membership()
    found = _standing(server, credential, arguments.wait)
    lines = [f"host {found.name} ({found.host_id}) of {server}"]
    if (mine := joining.bundle()) is not None and found.bundle not in {None, mine}:
        lines.append("the server offers another agent: ngxlab host upgrade")
    sys.stdout.write("".join(f"{line}\n" for line in (*lines, found.detail, found.state)))
    return 0 if found.state in READY else 1


def _standing(server: str, credential: Credential, wait_s: float) -> HostStanding:
    """How the server sees this host: once it is ready, or after ``wait_s``. Raises ``ApiError``."""
    deadline = time.monotonic() + wait_s
    with AgentClient(server, credential.credential) as client:
        while True:
            late = time.monotonic() >= deadline
            try:
                found = client.standing()
            except ApiUnavailableError as error:
                if late or isinstance(error, ApiUntrustedError):
                    raise
            else:
                if late or found.state in READY:
                    return found
            time.sleep(_POLL_S)


def _upgrade(_: argparse.Namespace) -> int:
    return joining.upgrade(_membership()[2])


def _leave(_: argparse.Namespace) -> None:
    """Revoke the credential. Raises ``ApiError``, also while a run holds this host."""
    joining.require_root("leave")
    settings, credential, server = _membership()
    told = "this machine is no host any more; its past runs stay on the server"
    with AgentClient(server, credential.credential) as client:
        try:
            client.leave()
        except ApiRefusedError as refusal:
            if refusal.status != _NOT_SIGNED_IN:
                raise
            told = "the server knows this host no more"
    joining.stop_service()
    (settings.folder / "credential.json").unlink()
    sys.stdout.write(f"{told}\n{joining.what_is_left(settings.folder)}\n")


def _membership() -> tuple[AgentSettings, Credential, str]:
    """The agent's settings, its credential, and the server's address."""
    settings = AgentSettings.from_environment()
    credential = Credential.load(settings.folder)
    return settings, credential, settings.backend_url or credential.backend_url
