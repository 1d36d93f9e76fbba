"""What a trial may leave on a host: processes, folders, mounts, loop devices, control groups, ports and namespaces.

Other work on the same machine is none of this test's business: all is looked up by the trial, and ports and namespaces
by the agent, which has neither between two runs.
"""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.stack.processes import ProcessId, descendants
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack

PATIENCE_S = 60
LISTENING = "0A"
"""TCP_LISTEN in /proc/PID/net/tcp."""
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def await_none(stack: Stack, trial_ids: Sequence[str]) -> None:
    """Raises TimeoutError for what is still there a minute after the end of a run with these trials."""
    found: list[str] = []

    def clean() -> bool:
        found[:] = [f"trial {trial_id}: {what}" for trial_id in trial_ids for what in _of_trial(stack, trial_id)]
        agent = ProcessId.read(stack.data / "run" / "agent.pid")
        found.extend(held_by(agent.pid) if agent is not None and agent.alive() else ())
        found.extend(
            f"namespace {line}" for line in _lines("/proc/mounts") if " nsfs " in line and str(stack.data) in line
        )
        return not found

    try:
        wait_until(clean, "the end of all that trials had started", PATIENCE_S)
    except TimeoutError as error:
        raise TimeoutError(f"left over: {found}") from error


def _of_trial(stack: Stack, trial_id: str) -> Iterator[str]:
    yield from (f"process {pid}" for pid in stack.processes_of_trial(trial_id))
    folder = stack.trial_folder(trial_id)
    if folder.exists():
        yield f"folder {folder}"
    yield from (f"mount {line}" for line in _lines("/proc/mounts") if str(folder) in line)
    yield from (f"loop device {line}" for line in _loop_devices() if str(folder) in line)
    yield from (f"control group {path}" for path in Path("/sys/fs/cgroup").glob(f"**/*{trial_id}*"))


def held_by(agent: int) -> Iterator[str]:
    """Ports on which a process and its descendants listen, and namespaces that they have beyond its own."""
    own = _namespaces(agent)
    for pid in (agent, *descendants(agent)):
        yield from (f"port {port} of process {pid}" for port in _ports(pid))
        yield from (f"namespace {name} of process {pid}" for name in sorted(_namespaces(pid) - own))
        kept = {link for link in _open_files(pid) if link.partition(":[")[0] in NAMESPACES}
        yield from (f"namespace {name}, held open by process {pid}" for name in sorted(kept))


def _namespaces(pid: int) -> set[str]:
    return {link for kind in NAMESPACES if (link := _link(Path(f"/proc/{pid}/ns/{kind}")))}


def _open_files(pid: int) -> set[str]:
    try:
        return {_link(path) for path in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return set()  # it has ended meanwhile


def _ports(pid: int) -> Iterator[int]:
    """Source: proc_pid_net(5); the columns are local address, remote address, state, ..., inode."""
    files = _open_files(pid)
    for name in ("tcp", "tcp6"):
        for line in _lines(f"/proc/{pid}/net/{name}")[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENING and f"socket:[{inode}]" in files:
                yield int(local.rpartition(":")[2], 16)


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _loop_devices() -> list[str]:
    done = subprocess.run(["losetup", "--list", "--noheadings"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()
