"""A run is followed through its server's absence."""

import contextlib
import socket
import threading

from harness import Agent, Backend
from services import wait_until
from tests.support.caller import Caller
from tests.support.driving import begin, drive, ended, read_until


class Relay:
    """A way to the server that can be cut and mended. ``refused`` counts who came meanwhile."""

    def __init__(self, server_port: int) -> None:
        self._server = ("127.0.0.1", server_port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.cut = False
        self.refused = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.cut:
                    self.refused += 1
                    client.close()
                    continue
                server = socket.create_connection(self._server)
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError), sink:
            while (content := source.recv(65_536)) and not self.cut:
                sink.sendall(content)
            for end in (source, sink):
                end.shutdown(socket.SHUT_RDWR)


def test_a_run_is_followed_through_an_outage(caller: Caller, lab: Backend) -> None:
    agent: Agent = lab.agent()
    relay = Relay(lab.settings.port)
    caller.environment["NGXLAB_URL"] = f"http://127.0.0.1:{relay.port}"
    process, run_id = begin(caller, agent, "--wait")
    wait_until(lambda: read_until(process, "queued"), "the run being shown")
    relay.cut = True
    wait_until(lambda: relay.refused >= 2, "asking a server that is away")
    drive(lab, agent, run_id)
    relay.cut = False
    code, _, err = ended(process)
    relay.close()
    assert code == 0, err
    assert err.count("does not answer") == 1, err
