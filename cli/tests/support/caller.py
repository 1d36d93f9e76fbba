"""``ngxlab`` as a person calls it."""

import subprocess
import sys
from dataclasses import dataclass, field

from harness import Person


@dataclass
class Caller:
    """A person at a shell of their own: ``environment`` has the address and their token."""

    person: Person
    environment: dict[str, str]
    command: tuple[str, ...] = (sys.executable, "-m", "ngxlab_cli")
    started: list["subprocess.Popen[str]"] = field(default_factory=list)

    def start(self, *arguments: str, **changes: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*self.command, *arguments],
            env={**self.environment, **changes},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def ngxlab(self, *arguments: str, **changes: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments, **changes)
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)
