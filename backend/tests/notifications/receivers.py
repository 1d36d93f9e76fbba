"""Real receivers: an HTTP server for webhooks and an SMTP server for e-mail, on free ports of this machine."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import services
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed


@dataclass
class Hooks:
    """``answers``: statuses for the next requests of a path; 204 where none is left."""

    port: int
    received: list[Received] = field(default_factory=list)
    answers: dict[str, list[int]] = field(default_factory=dict)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def at(self, path: str) -> list[Received]:
        return [one for one in self.received if one.path == path]


@contextmanager
def hooks(port: int | None = None) -> Iterator[Hooks]:
    made = Hooks(port or services.free_port())

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.received.append(Received(self.path, dict(self.headers.items()), body))
            planned = made.answers.get(self.path, [])
            self.send_response(planned.pop(0) if planned else 204)
            self.send_header("Location", f"http://127.0.0.1:{made.port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", made.port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Mailbox(Message):
    """``letters``: as they arrived."""

    letters: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_message(self, message: Any) -> None:
        self.letters.append(message)

    def to(self, address: str) -> list[Any]:
        return [one for one in self.letters if one["To"] == address]


@contextmanager
def mailbox(port: int) -> Iterator[Mailbox]:
    made = Mailbox()
    controller = Controller(made, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield made
    finally:
        controller.stop()
