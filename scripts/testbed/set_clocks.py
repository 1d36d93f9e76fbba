"""Clocks of machines that a test can set: what runs on one sees another time, and this machine does not."""

import re
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.testbed.replicas import with_replicas
from scripts.testbed.stack import Stack

SOURCE = Path(__file__).with_name("set_clock.c")
MACHINES = {"server": ("postgres", "redis", "backend", "jobs", "coordinator"), "host": ("agent",)}
"""What would run on one machine, replicas too, and so has one clock. What the agent starts keeps this machine's own."""


@dataclass(frozen=True)
class SetClock:
    """``file`` has the shift in microseconds, which all processes of the machine have mapped."""

    file: Path

    @classmethod
    def right(cls, file: Path) -> "SetClock":
        clock = cls(file)
        file.write_bytes(struct.pack("=q", 0))
        file.chmod(0o644)
        return clock

    @contextmanager
    def stepped(self, seconds: float) -> Iterator[None]:
        """The clock is set by so much, and set right again at the end."""
        self._shift(seconds)
        try:
            yield
        finally:
            self._shift(0)

    def _shift(self, seconds: float) -> None:
        with self.file.open("r+b", buffering=0) as file:  # the same pages: never truncated
            file.write(struct.pack("=q", round(seconds * 1e6)))


def built(folder: Path) -> Path:
    """The library that shifts clocks. It must be preloaded."""
    library = folder / "set_clock.so"
    command: list[str | Path] = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE]
    subprocess.run(command, check=True)
    return library


def give_clocks(stack: Stack) -> Mapping[str, SetClock]:
    """Restart the services with a clock for each machine; the clocks by machine."""
    folder = stack.data.parent  # PostgreSQL's user may pass through
    library = built(folder)
    text, clocks = (stack.data / "run" / "supervisord.conf").read_text(), {}
    machines = {machine: with_replicas(text, services) for machine, services in MACHINES.items()}
    for machine, services in machines.items():
        clocks[machine] = SetClock.right(folder / f"{machine}.clock")
        settings = f'LD_PRELOAD="{library}",NGXLAB_TEST_CLOCK="{clocks[machine].file}"'
        for service in services:
            text = _with_settings(text, service, settings)
    stack.reconfigure(text, (service for services in machines.values() for service in services))
    return clocks


def _with_settings(config: str, service: str, settings: str) -> str:
    """supervisord's configuration with more in the environment of a service."""
    place = re.search(rf"\[program:{service}\]\n(?:.*\n)*?environment=.*", config)
    assert place is not None, f"{service} has no environment"
    comma = "" if place[0].endswith("=") else ","
    return f"{config[: place.end()]}{comma}{settings}{config[place.end() :]}"
