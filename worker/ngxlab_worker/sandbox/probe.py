"""Whether an unprivileged user may create namespaces on this host, determined by trying it."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ngxlab_worker.sandbox.command import Command
from ngxlab_worker.sandbox.identity import RunAs, hand_over
from ngxlab_worker.sandbox.launcher import Isolation, Sandbox, SandboxError

REMEDY = "install bubblewrap and allow unprivileged user namespaces (kernel.unprivileged_userns_clone, AppArmor)"


@dataclass(frozen=True)
class IsolationProbe:
    """``detail`` says what works, or why it does not and how to fix it."""

    available: bool
    detail: str


def probe_isolation(run_as: RunAs | None) -> IsolationProbe:
    """Start an empty program in a namespace of its own, as ``run_as``; takes about 20 ms."""
    if shutil.which("bwrap") is None:
        return IsolationProbe(available=False, detail=f"bwrap is not installed: {REMEDY}")
    with tempfile.TemporaryDirectory(prefix="ngxlab-probe-") as name:
        folder = Path(name)
        hand_over(folder, run_as)
        command = Command(("/usr/bin/true",), folder, folder / "out", folder / "err", gated=True)
        try:
            child = Sandbox(Isolation.NAMESPACE, run_as).spawn(command)
        except SandboxError as error:
            return IsolationProbe(available=False, detail=f"{error}; {REMEDY}")
        child.release()
        code = child.wait(2.0)
        child.kill()
        if code != 0:
            return IsolationProbe(available=False, detail=f"bwrap ended with {code}: {child.stderr_text()}; {REMEDY}")
    return IsolationProbe(available=True, detail="bubblewrap with a PID namespace of its own")


def choose_isolation(run_as: RunAs | None) -> Isolation:
    """The strongest isolation that works here."""
    return Isolation.NAMESPACE if probe_isolation(run_as).available else Isolation.GUARDIAN
