"""Real PostgreSQL and Redis for tests: private, on random ports, in temporary folders, gone afterwards."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 90) -> None:
    """Poll a condition; raises TimeoutError that says what did not happen."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {seconds:g} s")
        time.sleep(0.02)


def unprivileged_user() -> str | None:
    """Who runs PostgreSQL where we are root, which PostgreSQL refuses."""
    return "postgres" if os.getuid() == 0 else None


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.5):
        return True
    return False


def _postgres_program(name: str) -> str:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    return str(folders[-1] / name) if folders else name


def _stop(process: subprocess.Popen[bytes], signal_number: int) -> None:
    process.send_signal(signal_number)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def postgresql() -> Iterator[str]:
    """A throw-away cluster; yields the URL of its ``postgres`` database, where tests create their own."""
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-test-pg-", dir="/tmp"))
    user = unprivileged_user()
    if user is not None:
        entry = pwd.getpwnam(user)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    data = folder / "data"
    initdb = [_postgres_program("initdb"), "-D", str(data), "-U", "ngxlab", "--auth=trust", "-N", "-E", "UTF8"]
    subprocess.run(initdb, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)
    port = free_port()
    options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "max_connections": "200"}
    server = [_postgres_program("postgres"), "-D", str(data), "-p", str(port)]
    for name, value in options.items():
        server += ["-c", f"{name}={value}"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(server, user=user, cwd=folder, stdout=log, stderr=log)
    try:
        ready = [_postgres_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL answering")
        yield f"postgresql://ngxlab@127.0.0.1:{port}/postgres"
    finally:
        _stop(process, 2)  # SIGINT: fast shutdown
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def redis() -> Iterator[str]:
    """A throw-away Redis without persistence; yields its URL."""
    port = free_port()
    folder = tempfile.mkdtemp(prefix="ngxlab-test-redis-", dir="/tmp")
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers(port), "Redis answering")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        _stop(process, 15)
        shutil.rmtree(folder, ignore_errors=True)
