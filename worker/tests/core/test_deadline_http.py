"""Exchanges of the agent's own end in time, also with a server that sends byte by byte, over TLS too."""

import contextlib
import http.client
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_contracts.perturbations import HttpCall
from ngxlab_contracts.trials import Endpoint
from ngxlab_worker.core.deadline_http import connected, left
from ngxlab_worker.perturbations.action import ActionError, Cue
from ngxlab_worker.perturbations.actions import HttpAction

PATIENCE_S = 0.6
DRIPS = 8
"""Each 0.2 s after the one before: no pause is as long as the patience, all of them together are longer."""


@pytest.fixture(params=[False, True], ids=["plain", "tls"])
def tls(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


class Dripping:
    """A server whose header comes slowly, and is complete in the end, unless its client goes before."""

    def __init__(self, listening: socket.socket, context: ssl.SSLContext | None) -> None:
        self.address: tuple[str, int] = listening.getsockname()
        self._listening, self._context = listening, context
        self._complete = False
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def has_answered(self) -> bool:
        self._thread.join()
        return self._complete

    def _serve(self) -> None:
        accepted, _ = self._listening.accept()
        with contextlib.suppress(OSError), accepted:  # the client has gone
            used = self._context.wrap_socket(accepted, server_side=True) if self._context else accepted
            with used:
                used.recv(4096)
                used.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                for _ in range(DRIPS):
                    time.sleep(0.2)  # the slow server itself
                    used.sendall(b"a")
                used.sendall(b"\r\nContent-Length: 0\r\n\r\n")
                self._complete = True


@pytest.fixture
def dripping(tls: bool, tmp_path: Path) -> Iterator[Dripping]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Dripping(listening, certified(tmp_path) if tls else None)
        yield server
        server.has_answered()


def certified(folder: Path) -> ssl.SSLContext:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=a",
    ]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def test_a_header_that_comes_byte_by_byte_is_not_waited_for(dripping: Dripping, tls: bool) -> None:
    deadline = time.monotonic() + PATIENCE_S

    def ask() -> None:
        with connected(dripping.address, deadline, tls=tls) as connection:
            connection.request("GET", "/")
            connection.getresponse()
        left(deadline)

    with pytest.raises((OSError, http.client.HTTPException)):
        ask()
    assert time.monotonic() >= deadline, "it did not fail for another reason"
    assert not dripping.has_answered()


def test_a_call_of_a_perturbation_ends_in_time_too(dripping: Dripping, tls: bool) -> None:
    spec = HttpCall(path="/", timeout_s=PATIENCE_S)
    address, port = dripping.address
    action = HttpAction(spec, Endpoint(name="target", address=address, ports=[port]), tls=tls)
    with pytest.raises(ActionError, match="no complete answer within"):
        action(Cue(threading.Event(), 0))
    assert not dripping.has_answered()
