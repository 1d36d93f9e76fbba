"""Requests to the backend: over HTTP while it serves, with ``ngxlab-server`` while it is being set up."""

import contextlib
import json
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
from ngxlab_cli import tables
from ngxlab_cli.access import Access
from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import ClientError
from ngxlab_cli.models import HostSummary

from scripts.console import Failure, run
from scripts.paths import BIN
from scripts.stack import credentials as credential_store
from scripts.stack.services import OWNERS_URL, agent_environment
from scripts.stack.settings import Settings, parse_env_file

ANSWER_TIMEOUT_S = 5
_KEPT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
"""What programs with an environment of their own keep of this one."""
TOKEN_NAME = "NGXLAB_STACK_TOKEN"


def complaint(unix_socket: Path) -> str | None:
    """Query ``/readyz`` of one process. ``None`` if it is ready, else the reason why not."""
    try:
        transport = httpx2.HTTPTransport(uds=str(unix_socket), verify=False)
        with httpx2.Client(transport=transport, timeout=ANSWER_TIMEOUT_S) as client:
            answer = client.get("http://backend/readyz")
    except httpx2.HTTPError as error:
        return f"no answer on {unix_socket}: {error}"
    return None if answer.is_success else f"/readyz: {_unready_parts(answer.content)}"


def front_complaint(settings: Settings) -> str | None:
    """Query ``/healthz`` through the front, likewise."""
    try:
        _front(settings.url).get("/healthz").raise_for_status()
    except httpx2.HTTPError as error:
        return f"no answer on {settings.url}: {error}"
    return None


@cache
def _front(url: str) -> httpx2.Client:
    """One for all questions: to load the certificates takes longer than to ask. Each question is a new connection."""
    once = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.Client(base_url=url, timeout=ANSWER_TIMEOUT_S, limits=once)


def readiness(settings: Settings) -> dict[str, Any]:
    with contextlib.suppress(httpx2.HTTPError, ValueError):
        return dict(_front(settings.url).get("/readyz").json())
    return {}


def coordinator_complaint(settings: Settings, up_s: float | None = None) -> str | None:
    """``None`` where a coordinator calls the backend and reaches Redis, else the problem.

    ``up_s``: since the process started; what its predecessor did before does not count.
    """
    found = readiness(settings)
    state = found.get("coordinator", "the backend does not answer")
    if state == "ok":
        return None if _is_newer(found["loops"]["coordinator"], up_s) else "has not called since it started"
    return f"{state}"


def jobs_complaint(settings: Settings) -> str | None:
    """``None`` where a jobs service lives, else the problem."""
    state = str(readiness(settings).get("jobs", "the backend does not answer"))
    return None if state == "ok" else state


def server_command(settings: Settings, environment: Mapping[str, str], *arguments: str) -> str:
    """Run ``ngxlab-server ARGUMENTS`` with the service's environment, and return what it prints."""
    return _tool([str(BIN / "ngxlab-server"), *arguments], environment, settings).strip()


def server_status(settings: Settings, environment: Mapping[str, str], *arguments: str) -> int:
    """As :func:`server_command`, of what prints for whoever waits; its exit status."""
    told = _KEPT | dict(environment)
    return subprocess.run([BIN / "ngxlab-server", *arguments], cwd=settings.data, env=told, check=False).returncode


def of_database(url: str) -> dict[str, str]:
    """What in a server's environment says which database it works on, as its owner and as itself."""
    return {"DATABASE_URL": url, OWNERS_URL: url}


def join_host(settings: Settings) -> None:
    """Enrol this machine with a one-time token; the agent's folder then holds its credential.

    A machine that the database knows by its name is the host that it was. The token goes through standard input: a
    command line can be read by every user of the machine.
    """
    with api_client(settings, own_token(settings)) as client:
        token = client.send("POST", "/hosts/enrolment-tokens", json={"expires_in_minutes": 10}).json()["token"]
    joining = [str(BIN / "ngxlab-worker"), "host", "join", settings.url, "--name"]
    with contextlib.suppress(Failure):  # under the name of another machine, or of this one while its agent is heard
        _tool([*joining, socket.gethostname()], agent_environment(settings), settings, given=token)
        return
    _tool([*joining, _free_name(settings)], agent_environment(settings), settings, given=token)


def renew_broker_url(settings: Settings, broker_url: str) -> bool:
    """Write the broker's address into this machine's agent's credential. Returns whether it has changed."""
    path = settings.agent / "credential.json"
    content: dict[str, Any] = json.loads(path.read_text())
    if content["broker_url"] == broker_url:
        return False
    credential_store.write_private(path, json.dumps(content | {"broker_url": broker_url}, indent=2))
    return True


def own_host(settings: Settings) -> HostSummary | None:
    """This machine as the backend sees it; ``None`` where it is not enrolled, was removed, or has another credential
    than the database knows, as after a restored backup."""
    own = _credential(settings)
    found = next((host for host in hosts(settings) if str(host.id) == own.get("host_id")), None)
    return found if found is not None and _is_known(settings, own.get("credential", "")) else None


def host_complaint(settings: Settings, up_s: float | None = None) -> str | None:
    """``None`` where this machine's agent sends heartbeats, else the problem. ``up_s``: since the process started."""
    if not _credential(settings):
        return "this machine is not enrolled; make up enrols it"
    try:
        host = own_host(settings)
    except Failure as failure:
        return str(failure)
    if host is None:
        return "this machine is no host by its credential, or was removed; make up enrols it again"
    if host.state == "offline":
        return f"no heartbeat: {host.state_detail}"
    if host.heartbeat_age_s is None or not _is_newer(host.heartbeat_age_s, up_s):
        return "no heartbeat since it started"
    return None


def hosts(settings: Settings) -> list[HostSummary]:
    """Every registered host. Raises :class:`Failure` where the backend does not answer."""
    with api_client(settings, own_token(settings)) as client:
        return client.hosts()


@contextmanager
def api_client(settings: Settings, token: str) -> Iterator[LabClient]:
    """The command line's client. Its errors become :class:`Failure`."""
    try:
        with LabClient(Access(settings.url, token)) as client:
            yield client
    except ClientError as error:
        detail = f"\n{tables.problems(error.problems)}" if error.problems else ""
        raise Failure(f"{error}{detail}", "make status and make logs tell more") from error


def own_token(settings: Settings) -> str:
    """The API token with which the stack asks its own backend; empty where there is none yet."""
    return parse_env_file(credential_store.path_of(settings)).get(TOKEN_NAME, "")


def begin(settings: Settings, environment: Mapping[str, str]) -> str | None:
    """Migrate the database. In an empty one, make the first administrator and the stack's token; their password."""
    made = server_command(settings, environment, "begin", *_token_of(settings, "stack"))
    if not made:
        return None
    begun = json.loads(made)
    _keep_token(settings, begun["token"])
    return str(begun["password"])


def tool_token(settings: Settings, environment: Mapping[str, str], name: str) -> str:
    return server_command(settings, environment, "api-token", *_token_of(settings, name))


def _token_of(settings: Settings, name: str) -> list[str]:
    return ["--email", settings.administrator, "--name", name, "--scope", "administer", "--days", "365"]


def ensure_token(settings: Settings, environment: Mapping[str, str]) -> None:
    """Store an API token with which ``status`` can list hosts, where there is no valid one."""
    try:
        hosts(settings)
    except Failure:
        _keep_token(settings, tool_token(settings, environment, "stack"))


def _keep_token(settings: Settings, token: str) -> None:
    path = credential_store.path_of(settings)
    kept = parse_env_file(path) | {TOKEN_NAME: token}
    credential_store.write_private(path, "".join(f"{name}={value}\n" for name, value in kept.items()))


def _is_newer(age_s: float, up_s: float | None) -> bool:
    return up_s is None or age_s <= up_s


def _unready_parts(body: bytes) -> str:
    """The components that ``/readyz`` does not report as "ok"."""
    with contextlib.suppress(ValueError, KeyError, AttributeError):
        parts: dict[str, str] = json.loads(body)["parts"]
        return "; ".join(f"{name}: {state}" for name, state in parts.items() if state != "ok")
    return body[:500].decode(errors="replace")


def _credential(settings: Settings) -> dict[str, str]:
    """What this machine's agent has to show; empty where it is not enrolled."""
    with contextlib.suppress(OSError, ValueError):
        return dict(json.loads((settings.agent / "credential.json").read_text()))
    return {}


def _is_known(settings: Settings, credential: str) -> bool:
    """Whether the backend takes the agent for a host of its own."""
    with contextlib.suppress(httpx2.HTTPError):
        headers = {"Authorization": f"Bearer {credential}"}
        return _front(settings.url).get("/api/v1/agent/host", headers=headers).status_code != HTTPStatus.UNAUTHORIZED
    return True


def _free_name(settings: Settings) -> str:
    """The host's name, with a number where that name is taken (e.g. by an earlier data folder)."""
    base = socket.gethostname()
    taken = {host.name for host in hosts(settings)}
    candidates = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in candidates if name not in taken)


def _tool(command: list[str], environment: Mapping[str, str], settings: Settings, given: str = "") -> str:
    hint = f"see the message above, and {settings.logs}"
    return run(command, cwd=settings.data, env=_KEPT | dict(environment), hint=hint, given=given)
