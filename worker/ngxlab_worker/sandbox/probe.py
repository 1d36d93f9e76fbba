"""Whether an unprivileged user may create namespaces on this host, determined by trying it."""

import shutil
import tempfile
from pathlib import Path

from ngxlab_contracts.hosts import Capability

from ngxlab_worker.sandbox.command import Command
from ngxlab_worker.sandbox.identity import RunAs, hand_over
from ngxlab_worker.sandbox.launcher import Isolation, Sandbox, SandboxError

REMEDY = "install bubblewrap and allow unprivileged user namespaces (kernel.unprivileged_userns_clone, AppArmor)"


def probe_isolation(run_as: RunAs | None) -> Capability:
    """Start an empty program in a namespace of its own, as ``run_as``; takes about 20 ms."""
    obstacle = _obstacle(run_as)
    detail = f"{obstacle}; {REMEDY}" if obstacle else "bubblewrap with a PID namespace of its own"
    return Capability(name="isolation", available=obstacle is None, detail=detail)


def _obstacle(run_as: RunAs | None) -> str | None:
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    with tempfile.TemporaryDirectory(prefix="ngxlab-probe-") as name:
        folder = Path(name)
        hand_over(folder, run_as)
        command = Command(("/usr/bin/true",), folder, folder / "out", folder / "err", gated=True)
        try:
            child = Sandbox(Isolation.NAMESPACE, run_as).spawn(command)
        except SandboxError as error:
            return str(error)
        child.release()
        code = child.wait(2.0)
        child.kill()
        return None if code == 0 else f"bwrap ended with {code}: {child.stderr_text()}"


def choose_isolation(run_as: RunAs | None) -> Isolation:
    return Isolation.NAMESPACE if probe_isolation(run_as).available else Isolation.GUARDIAN
