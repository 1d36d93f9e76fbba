"""The embedded stack as a user has it: real services in a folder of their own, on free ports."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ngxlab_worker.nginx.ports import free_ports

from scripts.paths import BIN, ROOT
from scripts.stack.processes import ProcessId, living

SERVICES = {"postgres", "redis", "backend", "front", "jobs", "coordinator", "agent"}


@dataclass
class Installation:
    data: Path
    ports: dict[str, int]
    settings: dict[str, str] = field(default_factory=dict)
    """More of them, by name."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports['NGXLAB_PORT']}"

    def order(self, *words: str) -> subprocess.CompletedProcess[str]:
        """``make WORDS``, as it were."""
        return self._called("scripts.stack", *words)

    def ngxlab(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """The command line of this checkout, as somebody calls it who has never signed in."""
        with tempfile.TemporaryDirectory() as home:
            return self._called("ngxlab_cli", *words, **{"XDG_CONFIG_HOME": home, **settings})

    def _called(self, module: str, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NGXLAB_")}
        environment |= {"NGXLAB_DATA_DIR": str(self.data), "DATABASE_URL": "", "REDIS_URL": ""}
        environment |= {name: str(port) for name, port in self.ports.items()} | self.settings | settings
        command = [str(BIN / "python"), "-m", module, *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    def processes(self) -> dict[str, ProcessId]:
        return living(self.data / "run")


@contextmanager
def installation(data: Path | None = None) -> Iterator[Installation]:
    """Nothing is started yet; what runs at the end is stopped, and ``data`` (a temporary folder by default) emptied."""
    # Not pytest's folder, which the services' users cannot reach.
    made = data or Path(tempfile.mkdtemp(prefix="ngxlab-", dir="/tmp"))
    made.chmod(0o755)
    names = ("NGXLAB_PORT", "NGXLAB_POSTGRES_PORT", "NGXLAB_REDIS_PORT")
    running = Installation(made, dict(zip(names, free_ports(3, "127.0.0.1"), strict=True)))
    try:
        yield running
    finally:
        ended = running.order("down")
        if data is None:
            shutil.rmtree(made)
    assert ended.returncode == 0, ended.stderr
