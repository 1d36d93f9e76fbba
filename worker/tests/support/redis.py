"""A Redis of the tests' own."""

import socket
import subprocess
import tempfile

from tests.support.hosts import wait_until


class Redis:
    """A server of our own that can be stopped and started again. Listens on ``address``, without a password."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self._address = address
        with socket.create_server((address, 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"redis://{address}:{self.port}/0"
        self._folder = tempfile.TemporaryDirectory(prefix="ngxlab-redis-")
        self.start()

    def start(self) -> None:
        arguments = ["--port", str(self.port), "--bind", self._address, "--protected-mode", "no"]
        arguments += ["--save", "", "--dir", self._folder.name]
        self._process = subprocess.Popen(["redis-server", *arguments], stdout=subprocess.DEVNULL)
        wait_until(self._answers)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def close(self) -> None:
        self.stop()
        self._folder.cleanup()

    def _answers(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex((self._address, self.port)) == 0
