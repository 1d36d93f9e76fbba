"""The backend's worker API, typed by the wire contract.

ApiError
├── ApiUnavailableError   transport error or 5xx: the same request may succeed later
│   └── ApiUntrustedError     its certificate is not trusted, until somebody changes something
└── ApiRefusedError       any other status: the backend has decided; repeating changes nothing
"""

import os
import random
import ssl
import time
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Self, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass
from uuid import UUID

import certifi
from ngxlab_contracts.base import Message, read
from ngxlab_contracts.config_test import ConfigTestResult, ConfigTestSpec
from ngxlab_contracts.coordination import CoordinatorPulse, LeaseGrant, LeaseRequest, NextStep, PulseReply, TrialStatus
from ngxlab_contracts.hosts import (
    EnrolCheck,
    EnrolOutlook,
    EnrolRequest,
    EnrolResponse,
    Heartbeat,
    HeartbeatReply,
    HostStanding,
)
from ngxlab_contracts.protocol import CURRENT, FIRST, Protocol, ProtocolText
from ngxlab_contracts.trials import BatchAck, ClaimRequest, TrialControl, TrialRefusal, TrialSpec
from ngxlab_contracts.version import VERSION
from pydantic import ValidationError
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random_exponential
from urllib3 import BaseHTTPResponse, PoolManager, ProxyManager, Timeout
from urllib3.exceptions import HTTPError

PREFIX = "/api/v1"
CONNECT_S, ANSWER_S = 3.0, 10.0
THREADS = 4
"""Which keep a connection each, where several share a client."""
IDLE_S = 10.0
"""A connection that was unused for so long is not used again: the backend may be closing it."""

FIRST_RETRY_S = 0.1
LONGEST_RETRY_S = 2.0

_LONGEST_REASON = 2000
_Answer = TypeVar("_Answer", bound=Message)
_Result = TypeVar("_Result")


class ApiError(Exception):
    """The backend did not answer a request as wanted."""


class ApiUnavailableError(ApiError):
    """The backend cannot be reached, or answered with a server error."""


class ApiUntrustedError(ApiUnavailableError):
    """Who answers cannot prove to be the backend. The message says what to set."""


class ApiRefusedError(ApiError):
    """``code``: the machine-readable reason of the answer's problem document (RFC 9457); empty where it has none."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code


class NotUnderstoodError(Exception):
    """The backend's answer is beyond this version of the agent; the message is the reason, for people."""


class _Orders(Message):
    """What all orders to agents have: the oldest protocol that understands them."""

    requires: ProtocolText = str(FIRST)


class _Client:
    """May be used by several threads at once."""

    def __init__(self, base_url: str, token: str | None) -> None:
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._url = base_url.rstrip("/") + PREFIX
        self._http = _connections(self._url)
        self._used_at = time.monotonic()

    def close(self) -> None:
        self._http.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(
        self, method: str, path: str, answer: type[_Answer], content: Message | bytes | None = None, wait_s: float = 0
    ) -> _Answer:
        response = self._send(method, path, content, wait_s)
        try:
            return read(answer, response.data)
        except ValidationError as error:
            raise ApiRefusedError(response.status, "answer-not-understood", str(error)) from error

    def _call_with_orders(
        self, method: str, path: str, answer: type[_Answer], content: Message | None = None
    ) -> _Answer:
        """For orders that must not be carried out in part. Raises ``NotUnderstoodError``."""
        text = self._send(method, path, content).data
        try:
            required = Protocol.parse(read(_Orders, text).requires)
            if not CURRENT.understands(required):
                raise NotUnderstoodError(
                    f"it needs protocol {required}, and this agent, version {VERSION}, speaks "
                    f"protocol {CURRENT}: upgrade the agent"
                )
            return read(answer, text)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            field = ".".join(map(str, problem["loc"]))
            raise NotUnderstoodError(f"its field {field} cannot be read: {problem['msg']}") from error

    def _send(
        self, method: str, path: str, content: Message | bytes | None = None, wait_s: float = 0
    ) -> BaseHTTPResponse:
        body = content.model_dump_json().encode() if isinstance(content, Message) else content
        headers = self._headers | ({"Content-Type": "application/json"} if body is not None else {})
        timeout = Timeout(connect=CONNECT_S, read=ANSWER_S + wait_s)
        self._leave_idle_connections()
        try:
            response = self._http.urlopen(
                method, self._url + path, body=body, headers=headers, timeout=timeout, retries=False, redirect=False
            )
        except HTTPError as error:
            if (doubt := _doubt(error)) is not None:
                raise ApiUntrustedError(_untrusted(urlsplit(self._url).hostname or "", doubt)) from error
            raise ApiUnavailableError(f"{method} {path}: {type(error).__name__}: {error}") from error
        if response.status >= 500:
            raise ApiUnavailableError(f"{method} {path}: {response.status}")
        if not 200 <= response.status < 300:
            raise _refusal(response)
        return response

    def _leave_idle_connections(self) -> None:
        now = time.monotonic()
        if now - self._used_at > IDLE_S:
            self._http.clear()
        self._used_at = now


class EnrolClient(_Client):
    """A host that has no credential yet. All methods raise ``ApiError``."""

    def __init__(self, base_url: str) -> None:
        super().__init__(base_url, None)

    def check(self, request: EnrolCheck) -> EnrolOutlook:
        """Whether the token will do, and what enrolling needs. It stays unused."""
        return self._call("POST", "/agent/enrol/check", EnrolOutlook, request)

    def enrol(self, request: EnrolRequest) -> EnrolResponse:
        return self._call("POST", "/agent/enrol", EnrolResponse, request)

    def script(self) -> str:
        """The server's own, which installs agents and upgrades them."""
        return self._send("GET", "/agent/join.sh").data.decode()


class AgentClient(_Client):
    """A host's agent. All methods raise ``ApiError``."""

    def heartbeat(self, heartbeat: Heartbeat) -> HeartbeatReply:
        return self._call("POST", "/agent/heartbeat", HeartbeatReply, heartbeat)

    def standing(self) -> HostStanding:
        return self._call("GET", "/agent/host", HostStanding)

    def leave(self) -> None:
        """The credential is void afterwards. Refused while a run holds this host."""
        self._send("DELETE", "/agent/host")

    def claim(self, trial_id: UUID, agent_instance: UUID) -> TrialSpec:
        """Raises ``NotUnderstoodError`` for a spec that this agent cannot carry out: see :meth:`refuse`."""
        claim = ClaimRequest(agent_instance=agent_instance, protocol=str(CURRENT))
        return self._call_with_orders("POST", f"/agent/trials/{trial_id}/claim", TrialSpec, claim)

    def refuse(self, trial_id: UUID, agent_instance: UUID, reason: str) -> None:
        refusal = TrialRefusal(agent_instance=agent_instance, reason=reason[:_LONGEST_REASON])
        self._send("POST", f"/agent/trials/{trial_id}/refuse", refusal)

    def send_batch(self, trial_id: UUID, batch: bytes) -> BatchAck:
        """``batch`` is the JSON of a :class:`ngxlab_contracts.telemetry.Batch`."""
        return self._call("POST", f"/agent/trials/{trial_id}/batches", BatchAck, batch)

    def control(self, trial_id: UUID, wait_s: float = 0, beyond: int = 0) -> TrialControl:
        """Returns as soon as there is a command or a revision above ``beyond``, at the latest after ``wait_s``."""
        path = f"/agent/trials/{trial_id}/control?wait_s={wait_s:g}&beyond={beyond}"
        return self._call("GET", path, TrialControl, wait_s=wait_s)

    def config_test(self, test_id: UUID) -> ConfigTestSpec:
        """Raises ``NotUnderstoodError``."""
        return self._call_with_orders("GET", f"/agent/config-tests/{test_id}", ConfigTestSpec)

    def send_config_test(self, test_id: UUID, result: ConfigTestResult) -> None:
        self._send("POST", f"/agent/config-tests/{test_id}", result)


class CoordinatorClient(_Client):
    def pulse(self, pulse: CoordinatorPulse) -> PulseReply:
        return self._call("POST", "/coordinator/pulse", PulseReply, pulse)

    def lease(self, run_id: UUID, holder: UUID) -> LeaseGrant:
        """Take the lease of a run. ``ApiRefusedError`` with status 409: another holder has it."""
        return self._call("POST", f"/coordinator/runs/{run_id}/lease", LeaseGrant, LeaseRequest(holder=holder))

    def release(self, run_id: UUID, holder: UUID) -> None:
        self._send("DELETE", f"/coordinator/runs/{run_id}/lease/{holder}")

    def next_step(self, run_id: UUID, holder: UUID) -> NextStep:
        return self._call("POST", f"/coordinator/runs/{run_id}/next", NextStep, LeaseRequest(holder=holder))

    def start(self, trial_id: UUID, holder: UUID) -> TrialControl:
        """Have the backend choose the instant at which the trial starts, since every host is ready."""
        return self._call("POST", f"/coordinator/trials/{trial_id}/start", TrialControl, LeaseRequest(holder=holder))

    def trial(self, run_id: UUID, trial_id: UUID, until: Literal["ready", "ended"], wait_s: float) -> TrialStatus:
        """Returns as soon as the trial is ``until``, at the latest after ``wait_s``."""
        path = f"/coordinator/trials/{trial_id}?wait_s={wait_s:g}&until={until}&run_id={run_id}"
        return self._call("GET", path, TrialStatus, wait_s=wait_s)


_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@cache
def _trusted(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The authorities that the variables name; else the public ones, and this system's. Read once, in some 20 ms."""
    if file or folder:
        return ssl.create_default_context(cafile=file, capath=folder)
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


def _connections(url: str) -> PoolManager:
    """By way of the proxy that the environment names for ``url``, if any."""
    parts = urlsplit(url)
    trusted = _trusted(*map(os.environ.get, _TRUST)) if parts.scheme == "https" else None
    proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
    options: dict[str, Any] = {"maxsize": THREADS, "ssl_context": trusted}
    return ProxyManager(proxy, **options) if proxy else PoolManager(**options)


def _doubt(error: BaseException | None) -> str | None:
    """Why a certificate was not accepted; ``None`` where something else went wrong."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return str(error.verify_message)
        error = error.__cause__ or error.__context__
    return None


def _untrusted(host: str, doubt: str) -> str:
    return (
        f"the certificate of {host} is not trusted here ({doubt}). If your own authority signed it, name the file of "
        "the authority's certificate: NGXLAB_CA=/path/of/its.pem on the line that joins, or SSL_CERT_FILE in the "
        "agent's environment (/etc/ngxlab/agent.env)"
    )


def _refusal(response: BaseHTTPResponse) -> ApiRefusedError:
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    detail = problem.get("detail") or response.data[:500].decode(errors="replace")
    return ApiRefusedError(response.status, str(problem.get("code", "")), str(detail))


def patiently(call: Callable[[], _Result], patience_s: float) -> _Result:
    """Repeat ``call`` while the backend cannot be reached, for so long. Raises ``ApiError``."""
    for attempt in Retrying(
        retry=retry_if_exception(_may_pass),
        wait=wait_random_exponential(multiplier=0.2, max=2),
        stop=stop_after_delay(patience_s),
        reraise=True,
    ):
        with attempt:
            return call()
    raise AssertionError("unreachable: the last attempt raises")


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, ApiUnavailableError) and not isinstance(error, ApiUntrustedError)


def retry_delay_s(attempt: int) -> float:
    """How long to wait before a request is repeated: exponential with jitter, so that not all agents retry at once."""
    longest = min(LONGEST_RETRY_S, FIRST_RETRY_S * 1.6 ** min(attempt, 20))
    return random.uniform(longest / 2, longest)  # noqa: S311 — spread, not secrecy
