"""The page's steps, in its order."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import agent_bundle
from scripts.agent_bundle.build import reissue
from scripts.console import Failure, check, run, say, step
from scripts.paths import ROOT
from scripts.stack.waiting import wait_until
from scripts.testbed.netns import Fleet
from scripts.testbed.stack import Stack, running_stack

NAME = "second"
_BOOT = Path(__file__).with_name("boot.sh")
_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
_GROUPS = Path("/sys/fs/cgroup")
_POLL_S = 0.02
SUITE = "bookworm"
FRESH = "systemd-sysv,dbus,ca-certificates"
"""What an installed Debian has beyond debootstrap's smallest variant, as far as it matters here."""
_DEFAULT_MIRROR = "http://deb.debian.org/debian"


@dataclass(frozen=True)
class Machine:
    """``first``: its first process, systemd, as this machine numbers it."""

    first: int
    folder: Path

    def command(self, line: str) -> list[str]:
        inside = ["--mount", "--net", "--pid", "--uts", "--ipc", "--cgroup", "--root", "--wd"]
        clean = [
            "env",
            "-i",
            "HOME=/root",
            "LANG=C.UTF-8",
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ]
        return ["nsenter", "--target", str(self.first), *inside, *clean, "sh", "-c", line]

    def run(self, line: str, *, expected: int = 0) -> str:
        """Run a line of the page as root, and show what it prints. Raises :class:`Failure`."""
        done = subprocess.run(
            self.command(line), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        )  # fmt: skip
        print("".join(f"    {text}\n" for text in done.stdout.splitlines()), end="", flush=True)
        if done.returncode != expected:
            raise Failure(f"on the second machine, '{line[:60]}' exited with {done.returncode}", "see above")
        return done.stdout

    @contextmanager
    def watched_for(self, secret: str) -> Iterator[list[str]]:
        """Collect the command lines in which ``secret`` stands, of all processes of this kernel."""
        seen: list[str] = []
        done = threading.Event()

        def watch() -> None:
            while not done.wait(_POLL_S):
                for path in Path("/proc").glob("[0-9]*/cmdline"):
                    with contextlib.suppress(OSError):
                        if secret in (text := path.read_text(errors="replace")):
                            seen.append(text.replace("\0", " "))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield seen
        finally:
            done.set()
            watcher.join()


@contextmanager
def second_machine(fleet: Fleet) -> Iterator[Machine]:
    """Boot it as the fleet's host, and turn it off at the end."""
    with (
        tempfile.TemporaryDirectory(prefix="ngxlab-second-", dir="/var/tmp") as folder,
        _way_out(fleet),
        _group() as group,
    ):
        place = Path(folder) / "root"
        _unpack(place)
        (place / "etc" / "hostname").write_text(f"{NAME}\n")  # debootstrap leaves this machine's
        namespaces = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--fork", "--kill-child"]
        boot = fleet.command(NAME, [*namespaces, "sh", str(_BOOT), str(place), NAME])
        entering = ["sh", "-c", 'echo 0 >"$1"/cgroup.procs; shift; exec "$@"', "enter", str(group), *boot]
        with (Path(folder) / "console").open("wb") as console:
            started = subprocess.Popen(entering, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        try:
            machine = Machine(_child(started.pid), place)
            wait_until(lambda: _is_up(machine), "the second machine's start", 300)
            yield machine
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(_child(started.pid), signal.SIGKILL)  # the first process takes all others with it
            started.wait()


def _child(pid: int) -> int:
    """The only child of ``unshare``, once there is one."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    wait_until(lambda: not children.exists() or bool(children.read_text().split()), "a first process", 60)
    words = children.read_text().split() if children.exists() else []
    if not words:
        raise ProcessLookupError(f"the second machine, process {pid}, has ended")
    return int(words[0])


def _is_up(machine: Machine) -> bool:
    asked = machine.command("systemctl is-system-running")
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return answer in {"running", "degraded"}


@contextmanager
def _way_out(fleet: Fleet) -> Iterator[None]:
    """Let the fleet's hosts reach what this machine reaches, by its address."""
    network = f"{fleet.gateway.rpartition('.')[0]}.0/24"
    rule = ["POSTROUTING", "--source", network, "!", "--destination", network, "--jump", "MASQUERADE"]
    route = ["ip", "-n", fleet.namespace(NAME), "route", "add", "default", "via", fleet.gateway]
    before = _FORWARDING.read_text()
    subprocess.run(route, check=True)
    subprocess.run(["iptables", "-t", "nat", "-A", *rule], check=True)
    _FORWARDING.write_text("1")
    try:
        yield
    finally:
        _FORWARDING.write_text(before)
        subprocess.run(["iptables", "-t", "nat", "-D", *rule], check=True)


@contextmanager
def _group() -> Iterator[Path]:
    """A control group for the machine: its systemd makes groups of its own in there."""
    tree = _GROUPS if (_GROUPS / "cgroup.procs").is_file() else _GROUPS / "unified"
    group = tree / f"ngxlab-second-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        wait_until(lambda: "populated 0" in (group / "cgroup.events").read_text(), "the end of its processes", 60)
        for place, _, _ in os.walk(group, topdown=False):
            Path(place).rmdir()


def _unpack(into: Path) -> None:
    kept = _cache() / f"{SUITE}-{FRESH.replace(',', '+')}.tar"
    if not kept.is_file():
        with step(f"Debian ({SUITE}) from {_mirror()}, once"):
            _make(kept)
    into.mkdir()
    run(["tar", "--extract", "--numeric-owner", f"--file={kept}", f"--directory={into}"], hint=f"remove {kept}")
    shutil.copy("/etc/resolv.conf", into / "etc" / "resolv.conf")


def _mirror() -> str:
    """Where this machine's apt gets Debian from."""
    listed = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    text = "\n".join(path.read_text() for path in listed if path.is_file())
    found = re.search(r"^(?:URIs:|deb)\s+(?:\[[^]]*\]\s+)?(https?://\S+/debian)/?(?:\s|$)", text, re.MULTILINE)
    return found[1] if found else _DEFAULT_MIRROR


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ngxlab"


def _make(kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    folder, packed = kept.with_suffix(".root"), kept.with_suffix(".part")
    shutil.rmtree(folder, ignore_errors=True)
    order: list[str | Path] = ["debootstrap", "--variant=minbase", f"--include={FRESH}", SUITE, folder, _mirror()]
    run(order, hint=f"its log is {folder}/debootstrap/debootstrap.log")
    subprocess.run(["chroot", str(folder), "apt-get", "clean"], check=True)
    run(["tar", "--create", "--numeric-owner", f"--file={packed}", f"--directory={folder}", "."], hint="is there room?")
    packed.replace(kept)
    shutil.rmtree(folder)


PAGE = ROOT / "docs" / "two-machines.md"
_RUN_PATIENCE_S = 600
_SMALL = {"connections": 20, "blocks": 2, "warmup_s": 1, "measure_s": 2, "cooldown_s": 0}


def commands(section: str, text: str | None = None) -> list[str]:
    """The commands of a section of the page that are for the second machine."""
    page = PAGE.read_text() if text is None else text
    parts = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    blocks = re.findall(r"^```sh\n(.*?)^```$", parts[section], re.MULTILINE | re.DOTALL)
    return [line.partition("  #")[0].rstrip() for block in blocks for line in block.splitlines()]


def walk(folder: Path) -> None:
    """Raises :class:`Failure` where a step does not do what the page says."""
    offered = folder / "offered"
    shutil.copytree(agent_bundle.FOLDER, offered)
    with Fleet((NAME,)) as fleet, running_stack(fleet.gateway, NGXLAB_AGENT_BUNDLE_DIR=str(offered)) as stack:
        with second_machine(fleet) as machine:
            _join(stack, machine)
            with step("An experiment on the second machine"):
                _experiment(stack)
            with step("Status"):
                _all(machine, "See how it is")
            with step("Upgrade"):
                _upgrade(machine, offered)
            with step("Leave"):
                _all(machine, "Leave")
                left = [host["name"] for host in stack.api("GET", "/hosts")["items"]]
                check(NAME not in left, "the server still lists the host that has left")
        say("A second machine has joined by the page's line, measured, was upgraded, and has left.")


def _join(stack: Stack, machine: Machine) -> None:
    joining = stack.api("GET", "/hosts/joining")
    check(not joining["obstacles"], f"the page says that no machine can join: {joining['obstacles']}")
    made = stack.api("POST", "/hosts/enrolment-tokens", {"expires_in_minutes": 60})
    with step("What the page asks for first"):
        _all(machine, "Before")
    with step("The page's line, on a fresh Debian 12"), machine.watched_for(made["token"]) as seen:
        check(machine.run(_typed(machine, made["command"])).splitlines()[-1] == "idle", "it does not end with: idle")
    check(not seen, f"the token stands in the process list: {seen[:1]}")
    with step("The same line again"):
        check("already" in machine.run(_typed(machine, made["command"])), "it does not say that it is a host already")


def _typed(machine: Machine, line: str) -> str:
    """A line as somebody types it into a shell: no process has it as an argument."""
    (machine.folder / "root" / "typed").write_text(f"{line}\n")
    return "sh </root/typed"


def _experiment(stack: Stack) -> None:
    [host] = [host["id"] for host in stack.api("GET", "/hosts")["items"] if host["name"] == NAME]
    run = stack.start_run("reuseport", host, **_SMALL)
    stack.completed(run, _RUN_PATIENCE_S)
    report: Any = stack.api("GET", f"/runs/{run}/report")
    say(f"    verdict: {report['analysis']['verdict']}")
    stack.idle_host(NAME)


def _upgrade(machine: Machine, offered: Path) -> None:
    before = json.loads((offered / "bundle.json").read_text())["sha256"]
    reissue(offered)
    check("another agent" in machine.run("ngxlab host status"), "the status does not name the newer agent")
    _all(machine, "Upgrade")
    check("another agent" not in machine.run("ngxlab host status"), "the old agent is still there")
    check(before[:12] not in machine.run("ls /opt/ngxlab"), "the old agent's files are still there")


def _all(machine: Machine, section: str) -> None:
    for line in commands(section):
        say(f"    # {line}")
        machine.run(line)
