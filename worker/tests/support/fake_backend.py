"""The backend's worker API and nothing behind it: a real HTTP server that can be stopped and started again."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

from ngxlab_contracts.base import Message
from ngxlab_contracts.config_check import ConfigCheckResult, ConfigCheckSpec
from ngxlab_contracts.coordination import LeaseGrant, NextStep, TrialAssignment, TrialStatus
from ngxlab_contracts.hosts import EnrolRequest, EnrolResponse, Heartbeat, HeartbeatReply
from ngxlab_contracts.telemetry import Batch, Event, LatencyInterval, PhaseEvent, TrialEnd
from ngxlab_contracts.trials import BatchAck, TrialCommand, TrialControl, TrialSpec

START_LEAD_US = 40_000


def now_us() -> int:
    return time.time_ns() // 1000


@dataclass
class TrialRecord:
    """What the backend knows of one trial."""

    spec: TrialSpec
    command: TrialCommand = "continue"
    start_at_us: int | None = None
    auto_start: bool = True
    claims: int = 0
    batches: list[Batch] = field(default_factory=list)
    received_at: list[float] = field(default_factory=list)

    @property
    def events(self) -> list[Event]:
        return [event for batch in self.batches for event in batch.events]

    @property
    def intervals(self) -> list[LatencyInterval]:
        return [interval for batch in self.batches for interval in batch.intervals]

    @property
    def phases(self) -> dict[str, int]:
        return {event.phase: event.t_us for event in self.events if isinstance(event, PhaseEvent)}

    @property
    def end(self) -> TrialEnd | None:
        return next((event for event in self.events if isinstance(event, TrialEnd)), None)

    def notes(self) -> list[str]:
        return [event.code for event in self.events if event.kind == "note"]

    def status(self) -> TrialStatus:
        state = "ended" if self.end else next(reversed(self.phases), "preparing" if self.claims else "dispatched")
        return TrialStatus(
            trial_id=self.spec.trial_id, state=state, ready="ready" in self.phases, ended=self.end is not None
        )


class FakeBackend:
    """``changed`` guards and announces everything the records hold."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.trials: dict[UUID, TrialRecord] = {}
        self.checks: dict[UUID, ConfigCheckSpec] = {}
        self.check_results: dict[UUID, ConfigCheckResult] = {}
        self.heartbeats: list[Heartbeat] = []
        self.plan: list[UUID] = []
        self.host_id = UUID(int=7)
        self.holder: UUID | None = None
        self.broker_url = "redis://unused"
        self._server: _Server | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), self)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Vanish: refuse new connections and drop those that are open."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.drop_connections()
            self._server = None

    def add(self, spec: TrialSpec, **changes: Any) -> TrialRecord:
        record = TrialRecord(spec, **changes)
        with self.changed:
            self.trials[spec.trial_id] = record
            self.changed.notify_all()
        return record

    def wait_for(self, condition: Callable[[], object], timeout_s: float = 20.0) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: bool(condition()), timeout_s), "the condition never came true"

    # --- the API; each answers (status, message) ---

    def enrol(self, body: bytes, _: dict[str, str]) -> tuple[int, Message | None]:
        request = EnrolRequest.model_validate_json(body)
        if request.token != "good":
            return 403, None
        return 201, EnrolResponse(host_id=self.host_id, credential="secret", broker_url=self.broker_url)

    def heartbeat(self, body: bytes, _: dict[str, str]) -> tuple[int, Message | None]:
        received = now_us()
        with self.changed:
            self.heartbeats.append(Heartbeat.model_validate_json(body))
            self.changed.notify_all()
        return 200, HeartbeatReply(received_at_us=received, sent_at_us=now_us())

    def config_check(self, check_id: UUID, method: str, body: bytes) -> tuple[int, Message | None]:
        with self.changed:
            if method == "POST":
                self.check_results[check_id] = ConfigCheckResult.model_validate_json(body)
                self.changed.notify_all()
                return 204, None
            spec = self.checks.get(check_id)
            return (200, spec) if spec else (404, None)

    def trial(self, trial_id: UUID, action: str, body: bytes, query: dict[str, str]) -> tuple[int, Message | None]:
        with self.changed:
            record = self.trials.get(trial_id)
            if record is None:
                return 404, None
            if action == "claim":
                record.claims += 1
                self.changed.notify_all()
                return (409, None) if record.end else (200, record.spec)
            if action == "batches":
                return self._accept(record, Batch.model_validate_json(body))
            self.changed.wait_for(
                lambda: record.start_at_us is not None or record.command != "continue", float(query.get("wait_s", 0))
            )
            return 200, TrialControl(command=record.command, start_at_us=record.start_at_us)

    def _accept(self, record: TrialRecord, batch: Batch) -> tuple[int, Message | None]:
        stored = len(record.batches)
        if batch.seq > stored + 1:
            return 409, None
        if batch.seq == stored + 1:
            record.batches.append(batch)
            record.received_at.append(time.monotonic())
            if record.auto_start and record.start_at_us is None and "ready" in record.phases:
                record.start_at_us = now_us() + START_LEAD_US
            self.changed.notify_all()
        control = TrialControl(command=record.command, start_at_us=record.start_at_us)
        return 200, BatchAck(acked_seq=len(record.batches), control=control)

    def run(self, method: str, parts: list[str], body: bytes) -> tuple[int, Message | None]:
        with self.changed:
            if method == "DELETE":
                self.holder = None
                self.changed.notify_all()
                return 204, None
            holder = UUID(json.loads(body)["holder"])
            if parts[-1] == "lease":
                if self.holder not in {None, holder}:
                    return 409, None
                self.holder = holder
                return 200, LeaseGrant(ttl_s=1.5, cancel_requested=False)
            open_trials = [trial_id for trial_id in self.plan if self.trials[trial_id].end is None]
            if not open_trials:
                return 200, NextStep(kind="finished", run_state="completed")
            state = self.trials[open_trials[0]].status().state
            trial = TrialAssignment(trial_id=open_trials[0], host_ids=[self.host_id], state=state)
            return 200, NextStep(kind="trial", trial=trial, run_state="running")

    def watched(self, trial_id: UUID, method: str, query: dict[str, str]) -> tuple[int, Message | None]:
        record = self.trials[trial_id]
        with self.changed:
            if method == "POST":
                record.start_at_us = record.start_at_us or now_us() + START_LEAD_US
                self.changed.notify_all()
                return 200, TrialControl(start_at_us=record.start_at_us)
            ready = query["until"] == "ready"
            self.changed.wait_for(
                lambda: record.end is not None or (ready and "ready" in record.phases), float(query["wait_s"])
            )
            return 200, record.status()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], backend: FakeBackend) -> None:
        self.backend = backend
        self.connections: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def drop_connections(self) -> None:
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base's name)
        pass

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path, _, text = self.path.removeprefix("/api/v1/").partition("?")
        query = dict(pair.split("=", 1) for pair in text.split("&") if pair)
        try:
            status, message = self._route(path.split("/"), body, query)
            content = message.model_dump_json().encode() if message else b"" if status == 204 else b"{}"
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True  # we vanished meanwhile

    def _route(self, parts: list[str], body: bytes, query: dict[str, str]) -> tuple[int, Message | None]:
        backend = self.server.backend
        match parts:
            case ["agent", "enrol"]:
                return backend.enrol(body, query)
            case ["agent", "heartbeat"]:
                return backend.heartbeat(body, query)
            case ["agent", "config-checks", check_id]:
                return backend.config_check(UUID(check_id), self.command, body)
            case ["agent", "trials", trial_id, action]:
                return backend.trial(UUID(trial_id), action, body, query)
            case ["coordinator", "runs", *rest]:
                return backend.run(self.command, rest, body)
            case ["coordinator", "trials", trial_id, *_]:
                return backend.watched(UUID(trial_id), self.command, query)
        return 404, None

    do_GET = do_POST = do_DELETE = _answer  # noqa: N815 (the base's names)
