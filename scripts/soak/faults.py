"""The faults that the soak test provokes. Each is a context: entering provokes it, leaving ends it."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ngxlab_contracts.broker import with_user
from redis import Redis
from redis.exceptions import RedisError

from scripts.stack.processes import ProcessId, descendants, proc_text
from scripts.stack.waiting import wait_until
from scripts.testbed.links import CONDITIONS, Link
from scripts.testbed.set_clocks import SetClock
from scripts.testbed.stack import Stack
from scripts.testbed.wiring import ASKING

SERVICES = ("postgres", "redis", "backend", "front", "jobs", "coordinator", "agent")
HOLDERS = {"bwrap", "setpriv", "prlimit", "taskset"}
GENERATORS = {"wrk"}


def victims(stack: Stack) -> Mapping[str, list[ProcessId]]:
    """Every living descendant of supervisord, by role: services, the agent's pool, PostgreSQL's backends, nginx's
    master and workers, generators, and what holds them. Raises AssertionError where supervisord itself has ended."""
    supervisor = ProcessId.read(stack.data / "run" / "supervisord.pid")
    assert supervisor is not None, "supervisord has no pid file"
    assert supervisor.alive(), "supervisord itself has ended"
    found: defaultdict[str, list[ProcessId]] = defaultdict(list)
    files = (path for name in SERVICES for path in (stack.data / "run").glob(f"{name}*.pid"))  # of replicas, too
    for path in sorted(files):
        name, main = path.stem.partition("-")[0], ProcessId.read(path)
        if main is not None and main.alive():
            found[name].append(main)
            for pid in descendants(main.pid):
                role, process = _role(pid, name), ProcessId.of(pid)
                if role is not None and process is not None:
                    found[role].append(process)
    return found


def _role(pid: int, service: str) -> str | None:
    name, line = proc_text(pid, "comm"), proc_text(pid, "cmdline")
    if service == "postgres":
        return "postgres-backend"
    if service == "jobs":
        return "jobs-pool"
    if service != "agent":
        return None
    if name == "nginx":
        return "nginx-worker" if "worker process" in line else "nginx-master"
    if name in GENERATORS:
        return "generator"
    if name in HOLDERS:
        return "holder"
    if "dead_mans_switch" in line:
        return "switch"
    return "agent-pool" if name.startswith(("ngxlab", "python", "[celery")) else None


STOPPED = (
    "agent",
    "agent-pool",
    "coordinator",
    "backend",
    "front",
    "jobs",
    "postgres",
    "redis",
    "nginx-master",
    "nginx-worker",
)
KILLED = (*STOPPED, "jobs-pool", "postgres-backend", "generator", "holder", "switch")
SHORT_S = (1.0, 8.0)
LONG_S = (10.0, 130.0)
DELAYS_S = (0.02, 2.0)
STEPS_S = (-3600.0, -300.0, 300.0, 3600.0)
PIECE = 1 << 20
KINDS = ("kill", "stop", "flush", "refuse", "readonly", *CONDITIONS, "step", "fill")
OFTEN = 10
NO_REPLICAS = ("CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0")
"""Makes Redis refuse writes, as one that has lost its replicas; and what ends that."""
DEMOTED = ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE")
"""Makes it read-only, as one that a failover has left behind: its master (nothing listens there) is away."""
SOAK_MAY = ("auth", "client", "config", "replicaof")
REDIS_PATIENCE_S = 300
"""Longer than any fault lasts."""
DISK_SIZE = "64m"


@dataclass(frozen=True)
class Fault:
    """``name`` has the kind first, then what it hits: ``kill backend``. ``lasts_s``: 0 where it is over at once."""

    name: str
    lasts_s: float
    provoke: Callable[[], AbstractContextManager[bool]]
    """Gives whether it has hit anything: there may be no nginx at that moment."""


@dataclass(frozen=True)
class Arsenal:
    """``disk``: the folder of the agent where it is on a file system of its own. ``long_share``: how many of the faults
    that last take up to two minutes. ``often``: kinds that come ten times as often."""

    stack: Stack
    links: Mapping[str, Link]
    clocks: Mapping[str, SetClock]
    disk: Path | None
    dice: random.Random
    long_share: float
    often: Sequence[str] = ()

    def draw(self) -> Fault:
        """Kinds that hit many different things are more likely; within a kind all of them are equally likely."""
        weights = {"kill": 5, "stop": 4, "flush": 1, "refuse": 1, "readonly": 1}
        if self.links:
            weights |= {"delay": 2, "loss": 2, "unanswered": 2, "repeat": 2, "stall": 3, "cut": 3}
        if self.clocks:
            weights["step"] = 2
        if self.disk is not None:
            weights["fill"] = 1
        often = [weight * (OFTEN if kind in self.often else 1) for kind, weight in weights.items()]
        (kind,) = self.dice.choices(list(weights), often)
        drawn = {
            "kill": self._kill, "stop": self._stop, "flush": self._flush, "refuse": self._refuse,
            "readonly": self._readonly, "step": self._step, "fill": self._fill,
        }  # fmt: skip
        return drawn[kind]() if kind in drawn else self._break(kind)

    def _lasting_s(self) -> float:
        return self.dice.uniform(*(LONG_S if self.dice.random() < self.long_share else SHORT_S))

    def _kill(self) -> Fault:
        role, which = self.dice.choice(KILLED), self.dice.random()
        return Fault(f"kill {role}", 0, lambda: self._killed(role, which))

    def _stop(self) -> Fault:
        role, which = self.dice.choice(STOPPED), self.dice.random()
        return Fault(f"stop {role}", self._lasting_s(), lambda: self._stopped(role, which))

    def _break(self, how: str) -> Fault:
        those = sorted(ASKING if how == "repeat" else self.links)
        link, seconds = self.links[self.dice.choice(those)], self.dice.uniform(*DELAYS_S)
        return Fault(f"{how} {link.name}", self._lasting_s(), lambda: _hit(CONDITIONS[how](link, seconds)))

    def _step(self) -> Fault:
        machine, seconds = self.dice.choice(sorted(self.clocks)), self.dice.choice(STEPS_S)
        name = f"step {machine}-{'forward' if seconds > 0 else 'back'}"
        return Fault(name, self._lasting_s(), lambda: _hit(self.clocks[machine].stepped(seconds)))

    def _flush(self) -> Fault:
        return Fault("flush redis", 0, self._flushed)

    def _refuse(self) -> Fault:
        return Fault("refuse redis", self._lasting_s(), lambda: self._without_writes(*NO_REPLICAS))

    def _readonly(self) -> Fault:
        return Fault("readonly redis", self._lasting_s(), lambda: self._without_writes(*DEMOTED))

    def _fill(self) -> Fault:
        assert self.disk is not None
        disk = self.disk
        return Fault("fill agent-disk", self.dice.uniform(*SHORT_S), lambda: _filled(disk))

    @contextmanager
    def _killed(self, role: str, which: float) -> Iterator[bool]:
        there = victims(self.stack)[role]
        for victim in there[int(which * len(there)) :][:1]:
            victim.send(signal.SIGKILL)
        yield bool(there)

    @contextmanager
    def _stopped(self, role: str, which: float) -> Iterator[bool]:
        there = victims(self.stack)[role]
        chosen = there[int(which * len(there)) :][:1]
        try:
            for victim in chosen:
                victim.send(signal.SIGSTOP)
            yield bool(chosen)
        finally:
            for victim in chosen:
                victim.send(signal.SIGCONT)

    @contextmanager
    def _flushed(self) -> Iterator[bool]:
        try:
            with Redis.from_url(self.stack.redis_url(), socket_timeout=1, socket_connect_timeout=1) as redis:
                for key in redis.scan_iter(count=1000):  # no user of Redis may use FLUSHALL
                    redis.delete(key)
            hit = True
        except RedisError:
            hit = False  # another fault has just hit it
        yield hit

    @contextmanager
    def _without_writes(self, order: str, undo: str) -> Iterator[bool]:
        """Redis takes no writes meanwhile."""
        hit = self._told(order)
        yield hit
        if hit:  # another fault may keep it from listening for a while
            wait_until(lambda: self._told(undo), "a Redis that takes writes", REDIS_PATIENCE_S)

    def _told(self, order: str) -> bool:
        """Whether Redis could be told. No user of it may configure it, so that one is made for this."""
        with (
            contextlib.suppress(RedisError),
            Redis.from_url(self.stack.redis_url(), socket_timeout=1, socket_connect_timeout=1) as redis,
        ):
            redis.execute_command("ACL SETUSER", "soak", "reset", "on", "nopass", *(f"+{name}" for name in SOAK_MAY))
            url = with_user(self.stack.redis_url(), "soak", "-")
            with Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1) as own:
                own.execute_command(*order.split())
            redis.execute_command("ACL DELUSER", "soak")
            return True
        return False


@contextmanager
def _hit(condition: AbstractContextManager[None]) -> Iterator[bool]:
    with condition:
        yield True


@contextmanager
def _filled(folder: Path) -> Iterator[bool]:
    """No byte is free meanwhile."""
    ballast = folder / "ballast"
    try:
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                os.write(file.fileno(), bytes(PIECE))
        yield True
    finally:
        ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(stack: Stack) -> Iterator[Path | None]:
    """Move the agent's folder to a small tmpfs; ``None`` where this may not be done, since it needs root."""
    if os.geteuid() != 0:
        yield None
        return
    folder = stack.data / "agent"
    aside = folder.with_name("agent.aside")
    stack.supervise("stop", "agent")
    mode = folder.stat().st_mode & 0o7777
    folder.rename(aside)
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_SIZE},mode={mode:o}", "tmpfs", folder], check=True)
    try:
        shutil.copytree(aside, folder, dirs_exist_ok=True)
        stack.supervise("start", "agent")
        yield folder
    finally:
        stack.supervise("stop", "agent")
        subprocess.run(["umount", folder], check=True)
        shutil.rmtree(aside)
