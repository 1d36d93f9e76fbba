"""The backend's worker API and nothing behind it: a real HTTP server that can be stopped and started again."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

from ngxlab_contracts.base import Message
from ngxlab_contracts.config_test import ConfigTestResult, ConfigTestSpec
from ngxlab_contracts.coordination import CoordinatorPulse, LeaseGrant, NextStep, PulseReply, TrialAssignment
from ngxlab_contracts.hosts import EnrolCheck, EnrolOutlook, EnrolRequest, EnrolResponse, Heartbeat, HeartbeatReply
from ngxlab_contracts.telemetry import Batch
from ngxlab_contracts.trials import BatchAck, TrialControl, TrialRefusal, TrialSpec
from tests.support.records import START_LEAD_US, TrialRecord, now_us


class FakeBackend:
    """``changed`` guards and announces everything the records hold. Listens on ``address``."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self._address = address
        self.changed = threading.Condition()
        self.trials: dict[UUID, TrialRecord] = {}
        self.parts: dict[tuple[UUID, str], TrialRecord] = {}
        self.config_tests: dict[UUID, ConfigTestSpec] = {}
        self.config_test_results: dict[UUID, ConfigTestResult] = {}
        self.heartbeats: list[Heartbeat] = []
        self.pulses: list[CoordinatorPulse] = []
        self.plan: list[UUID] = []
        self.host_id = UUID(int=7)
        self.holder: UUID | None = None
        self.collect_s = 0.0
        self.broker_url = "redis://unused"
        self._server: _Server | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://{self._address}:{self._port}"

    def start(self) -> None:
        self._server = _Server((self._address, self._port), self)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Refuse new connections and close those that are open."""
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

    def add_fleet(self, specs: Mapping[str, TrialSpec]) -> dict[str, TrialRecord]:
        """One trial on several hosts, each known by its credential."""
        records = {token: TrialRecord(spec) for token, spec in specs.items()}
        with self.changed:
            for token, record in records.items():
                record.others = [other for other in records.values() if other is not record]
                self.parts[record.spec.trial_id, token] = record
        return records

    def wait_for(self, condition: Callable[[], object], timeout_s: float = 90.0) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: bool(condition()), timeout_s), "the condition never came true"

    # --- the API; each answers (status, message) ---

    def enrol(self, body: bytes, _: dict[str, str]) -> tuple[int, Message | None]:
        request = EnrolRequest.model_validate_json(body)
        if request.token != "good":
            return 403, None
        return 201, EnrolResponse(host_id=self.host_id, credential="secret", broker_url=self.broker_url)

    def enrol_check(self, body: bytes) -> tuple[int, Message | None]:
        known = EnrolCheck.model_validate_json(body).token == "good"
        return (200, EnrolOutlook(broker_url=self.broker_url)) if known else (404, None)

    def heartbeat(self, body: bytes, _: dict[str, str]) -> tuple[int, Message | None]:
        received = now_us()
        with self.changed:
            self.heartbeats.append(Heartbeat.model_validate_json(body))
            self.changed.notify_all()
        return 200, HeartbeatReply(received_at_us=received, sent_at_us=now_us(), collect_s=self.collect_s)

    def pulse(self, body: bytes) -> tuple[int, Message | None]:
        with self.changed:
            self.pulses.append(pulse := CoordinatorPulse.model_validate_json(body))
            self.changed.notify_all()
            return 200, PulseReply(lost=[lease.run_id for lease in pulse.leases if lease.holder != self.holder])

    def config_test(self, test_id: UUID, method: str, body: bytes) -> tuple[int, Message | None]:
        with self.changed:
            if method == "POST":
                self.config_test_results[test_id] = ConfigTestResult.model_validate_json(body)
                self.changed.notify_all()
                return 204, None
            spec = self.config_tests.get(test_id)
            return (200, spec) if spec else (404, None)

    def trial(
        self, trial_id: UUID, action: str, token: str, body: bytes, query: dict[str, str]
    ) -> tuple[int, Message | None]:
        with self.changed:
            record = self.parts.get((trial_id, token)) or self.trials.get(trial_id)
            if record is None:
                return 404, None
            if action == "claim":
                record.claims += 1
                self.changed.notify_all()
                return (409, None) if record.end else (200, record.spec)
            if action == "refuse":
                record.refusal = TrialRefusal.model_validate_json(body).reason
                self.changed.notify_all()
                return 204, None
            if action == "batches":
                return self._accept(record, Batch.model_validate_json(body))
            beyond = int(query.get("beyond", 0))
            self.changed.wait_for(
                lambda: record.control().revision > beyond or record.command != "continue",
                float(query.get("wait_s", 0)),
            )
            return 200, record.control()

    def _accept(self, record: TrialRecord, batch: Batch) -> tuple[int, Message | None]:
        if record.refusing:
            return 422, None
        stored = len(record.batches)
        if batch.seq > stored + 1:
            return 409, None
        if batch.seq == stored + 1:
            record.batches.append(batch)
            record.received_at.append(time.monotonic())
            record.start_when_all_are_ready()
            self.changed.notify_all()
        return 200, BatchAck(acked_seq=len(record.batches), control=record.control())

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
            self.changed.wait_for(lambda: record.end is not None or (ready and record.ready), float(query["wait_s"]))
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
            self.close_connection = True  # the backend was stopped meanwhile

    def _route(self, parts: list[str], body: bytes, query: dict[str, str]) -> tuple[int, Message | None]:
        backend = self.server.backend
        match parts:
            case ["agent", "enrol"]:
                return backend.enrol(body, query)
            case ["agent", "enrol", "check"]:
                return backend.enrol_check(body)
            case ["agent", "heartbeat"]:
                return backend.heartbeat(body, query)
            case ["agent", "config-tests", test_id]:
                return backend.config_test(UUID(test_id), self.command, body)
            case ["agent", "trials", trial_id, action]:
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                return backend.trial(UUID(trial_id), action, token, body, query)
            case ["coordinator", "pulse"]:
                return backend.pulse(body)
            case ["coordinator", "runs", *rest]:
                return backend.run(self.command, rest, body)
            case ["coordinator", "trials", trial_id, *_]:
                return backend.watched(UUID(trial_id), self.command, query)
        return 404, None

    do_GET = do_POST = do_DELETE = _answer  # noqa: N815 (the base's names)
