"""One hostile configuration that the allow-list has let pass: rendered, started and asked as in a trial."""

import contextlib
import http.client
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from definition.definitions import sound
from definition.refused_fragments import UPSTREAM
from ngxlab.definition.nginx.config import render
from ngxlab.definition.validation import require
from ngxlab_policy.document import Surroundings, problems
from ngxlab_worker.collectors.reading import ParseError
from ngxlab_worker.collectors.stub_status import read_status
from ngxlab_worker.confinement import Bounds, Confinement
from ngxlab_worker.nginx.config import RunValues, UnknownVariableError, fill
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.sandbox import Child, Command, Sandbox
from ngxlab_worker.trial.folder import make_folder

BOUNDS = Bounds(memory_bytes=256 << 20, processes=64, file_bytes=64 << 20)
LUA = "".join(f"load_module /usr/lib/nginx/modules/{name}.so;\n" for name in ("ndk_http_module", "ngx_http_lua_module"))
PATHS = (
    "/", "/etc/passwd", "/passwd", "/a/passwd", "/nginx.conf", "/x/nginx.conf", "/a../nginx.conf", "/x/../nginx.conf",
    "/credential.json", "/../credential.json", "/environ", "/a", "/lic", "/mirror", "/none/../nginx.conf",
)  # fmt: skip
ASKED = "?u=/etc/passwd&a=/etc/passwd&i=../nginx.conf&d=/etc&x=/etc/passwd"
HEADERS = {"X": "/etc/passwd", "Cookie": "a=/etc/passwd", "Connection": "close"}
TIMEOUT_S = 5
SETTLES_WITHIN_S = 2.0


def rendered(fragment: str, text: str) -> str:
    """The whole nginx.conf with this one fragment, as the backend would write it. Lua's module is loaded, which makes
    it worse."""
    definition = require(sound())
    nginx = definition.nginx.model_copy(
        update={"main": "", "events": "", "server": "", "http": UPSTREAM, "files": [], "workers": "1"}
    )
    before = f"{UPSTREAM}\n" if fragment == "http" else ""
    nginx = nginx.model_copy(update={fragment: before + text})
    hostile = definition.model_copy(update={"nginx": nginx})
    return LUA + render(hostile, hostile.arms[0])


def agent_refuses(config: str) -> bool:
    return bool(problems(config.removeprefix(LUA), Surroundings(frozenset({"app"}))))


@dataclass
class Attempt:
    """``said``: what nginx printed where it did not start. ``bodies``: its answers to requests of all kinds."""

    config: str
    folder: Path
    child: Child | None = None
    confinement: Confinement | None = None
    values: RunValues | None = None
    said: str = ""
    cap: str | None = None
    bodies: list[bytes] = field(default_factory=list)

    @classmethod
    def prepared(cls, config: str, root: Path, number: int, sandbox: Sandbox) -> "Attempt":
        folder = make_folder(root, UUID(int=number), sandbox.run_as)
        (folder / "files").mkdir()
        (folder / "files" / "a.txt").write_text("yours")
        return cls(config, folder)

    def start(self, sandbox: Sandbox) -> None:
        status_port, http_port = free_ports(2)
        self.values = RunValues((http_port,), status_port, self.folder)
        server = f"server 127.0.0.1:{status_port};"
        try:
            text = fill(self.config, self.values.variables() | {"upstream.app": server})
        except UnknownVariableError as error:
            self.said = f"agent: {error}"
            return
        path = self.folder / "nginx.conf"
        path.write_text(text)
        path.chmod(0o644)
        uid = sandbox.run_as.uid if sandbox.run_as is not None else None
        self.confinement = Confinement(self.folder, BOUNDS, uid=uid)
        confined = Sandbox(sandbox.isolation, sandbox.run_as, self.confinement)
        argv = ("/usr/sbin/nginx", "-p", f"{self.folder}/", "-c", str(path), "-e", str(self.values.error_log))
        command = Command(argv, self.folder, self.folder / "out", self.folder / "err", brief=True)
        self.child = confined.spawn(command)

    def await_start(self) -> bool:
        """Whether it serves; ``said`` or ``cap`` say why not."""
        if self.child is None or self.confinement is None or self.values is None:
            return False
        while self.child.wait(0.005) is None:
            if cap := self.confinement.exceeded():
                self.cap = cap
                return False
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.values.status_port)):
                return True
        self.said = self.child.stderr_text()
        return False

    def ask(self) -> None:
        """Requests for whatever it may lead to. One without an answer has got nothing."""
        assert self.values is not None
        for path in PATHS:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.bodies.append(self._answer("GET", path + ASKED))
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.bodies.append(self._answer("PUT", "/planted", b"x" * 200_000))
        self._await_idle()

    def _await_idle(self) -> None:
        """Until nginx has ended what it does beside its answers, such as mirrored requests; it may never."""
        assert self.values is not None
        ends = time.monotonic() + SETTLES_WITHIN_S
        with contextlib.suppress(OSError, ParseError):
            while read_status(("127.0.0.1", self.values.status_port)).active > 1 and time.monotonic() < ends:
                time.sleep(0.005)

    def _answer(self, method: str, path: str, body: bytes | None = None) -> bytes:
        assert self.values is not None
        connection = http.client.HTTPConnection("127.0.0.1", self.values.http_port, timeout=TIMEOUT_S)
        try:
            connection.request(method, path, body, HEADERS)
            return connection.getresponse().read()
        finally:
            connection.close()

    def end(self) -> None:
        if self.confinement is not None:
            self.cap = self.cap or self.confinement.exceeded()
            if self.child is not None:
                self.child.kill()
            self.confinement.close()

    def error_log(self) -> str:
        path = self.folder / "error.log"
        return path.read_text(errors="replace") if path.exists() else ""


def batches(texts: list[str], size: int) -> Iterator[list[int]]:
    """Numbers of texts that are tried together. No two name the same file, so that it is known who wrote it."""
    left = list(range(len(texts)))
    while left:
        batch: list[int] = []
        for number in left:
            words = {word for one in batch for word in _paths(texts[one])}
            if len(batch) < size and not words & _paths(texts[number]):
                batch.append(number)
        left = [number for number in left if number not in batch]
        yield batch


def _paths(text: str) -> set[str]:
    return set(re.findall(r"/(?:tmp|run|dev)[\w/.-]*", text))
