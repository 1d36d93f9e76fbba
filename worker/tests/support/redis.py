"""A Redis of the tests' own."""

import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

import redis
from ngxlab_contracts.broker import (
    COORDINATOR_USER,
    broker_password,
    coordinator_rules,
    host_rules,
    host_user,
    password_hash,
    tls_options,
)
from tests.support.hosts import wait_until


class Redis:
    """A server of our own that can be stopped and started again. Listens on ``address``, without a password.

    With a ``certificate`` (the files of key and certificate), over TLS only.
    """

    def __init__(self, address: str = "127.0.0.1", certificate: tuple[Path, Path] | None = None) -> None:
        self._address = address
        self._certificate = certificate
        with socket.create_server((address, 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"{'rediss' if certificate else 'redis'}://{address}:{self.port}/0"
        self._folder = tempfile.TemporaryDirectory(prefix="ngxlab-redis-")
        self._users: dict[str, list[str]] = {}
        self.start()

    @property
    def ca_file(self) -> str | None:
        return str(self._certificate[1]) if self._certificate else None

    def start(self, *, with_users: bool = True) -> None:
        arguments = ["--bind", self._address, "--protected-mode", "no"]
        if self._certificate:
            key, made = map(str, self._certificate)
            arguments += ["--port", "0", "--tls-port", str(self.port), "--tls-auth-clients", "no"]
            arguments += ["--tls-key-file", key, "--tls-cert-file", made]
        else:
            arguments += ["--port", str(self.port)]
        arguments += ["--save", "", "--dir", self._folder.name]
        self._process = subprocess.Popen(["redis-server", *arguments], stdout=subprocess.DEVNULL)
        wait_until(self._answers)
        if with_users:
            self._admit()

    def admit_host(self, host_id: UUID, credential: str) -> None:
        """Make a host's user, as the backend does."""
        self._users[host_user(host_id)] = host_rules(host_id, password_hash(broker_password(credential)))
        self._admit()

    def admit_coordinator(self, token: str) -> None:
        self._users[COORDINATOR_USER] = coordinator_rules(password_hash(broker_password(token)))
        self._admit()

    def _admit(self) -> None:
        for name, rules in self._users.items():
            self.command("ACL", "SETUSER", name, *rules)

    def command(self, *words: str | bytes) -> Any:
        """Give an order as the administrator. Its answer."""
        with redis.Redis.from_url(self.url, **tls_options(self.url, self.ca_file)) as client:
            return client.execute_command(*words)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def close(self) -> None:
        self.stop()
        self._folder.cleanup()

    def _answers(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex((self._address, self.port)) == 0
