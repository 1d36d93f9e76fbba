"""The faults that the soak test provokes. Each is a context: entering provokes it, leaving ends it."""

import contextlib
import os
import random
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from scripts.soak.victims import victims
from scripts.testbed.links import Link
from scripts.testbed.set_clocks import SetClock
from scripts.testbed.stack import Stack

KILLED = (
    "agent",
    "agent-pool",
    "coordinator",
    "backend",
    "front",
    "jobs",
    "jobs-pool",
    "postgres",
    "postgres-backend",
    "redis",
    "nginx-master",
    "nginx-worker",
    "generator",
    "holder",
    "switch",
)
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
SHORT_S = (1.0, 8.0)
LONG_S = (10.0, 130.0)
DELAYS_S = (0.02, 2.0)
STEPS_S = (-3600.0, -300.0, 300.0, 3600.0)
PIECE = 1 << 20
KINDS = ("kill", "stop", "flush", "delay", "loss", "stall", "cut", "step", "fill")
OFTEN = 10


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
        weights = {self._kill: 5, self._stop: 4, self._flush: 1}
        if self.links:
            weights |= {self._delay: 2, self._loss: 2, self._stall: 3, self._cut: 3}
        if self.clocks:
            weights |= {self._step: 2}
        if self.disk is not None:
            weights |= {self._fill: 1}
        for draw in weights:
            weights[draw] *= OFTEN if draw.__name__.removeprefix("_") in self.often else 1
        (drawn,) = self.dice.choices(list(weights), list(weights.values()))
        return drawn()

    def _lasting_s(self) -> float:
        return self.dice.uniform(*(LONG_S if self.dice.random() < self.long_share else SHORT_S))

    def _link(self) -> Link:
        return self.links[self.dice.choice(sorted(self.links))]

    def _kill(self) -> Fault:
        role, which = self.dice.choice(KILLED), self.dice.random()
        return Fault(f"kill {role}", 0, lambda: self._killed(role, which))

    def _stop(self) -> Fault:
        role, which = self.dice.choice(STOPPED), self.dice.random()
        return Fault(f"stop {role}", self._lasting_s(), lambda: self._stopped(role, which))

    def _delay(self) -> Fault:
        link, seconds = self._link(), self.dice.uniform(*DELAYS_S)
        return Fault(f"delay {link.name}", self._lasting_s(), lambda: _hit(link.delayed(seconds)))

    def _loss(self) -> Fault:
        link = self._link()
        return Fault(f"loss {link.name}", self._lasting_s(), lambda: _hit(link.losing()))

    def _stall(self) -> Fault:
        link = self._link()
        return Fault(f"stall {link.name}", self._lasting_s(), lambda: _hit(link.stalled()))

    def _cut(self) -> Fault:
        link = self._link()
        return Fault(f"cut {link.name}", self._lasting_s(), lambda: _hit(link.cut()))

    def _step(self) -> Fault:
        machine, seconds = self.dice.choice(sorted(self.clocks)), self.dice.choice(STEPS_S)
        name = f"step {machine}-{'forward' if seconds > 0 else 'back'}"
        return Fault(name, self._lasting_s(), lambda: _hit(self.clocks[machine].stepped(seconds)))

    def _flush(self) -> Fault:
        return Fault("flush redis", 0, self._flushed)

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
