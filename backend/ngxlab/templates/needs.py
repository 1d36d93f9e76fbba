"""What a template needs of the hosts that play its slots, as data to check an inventory against."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ngxlab_contracts.hosts import Inventory
from pydantic import BaseModel

from ngxlab.definition.schema.definition import TARGET_SLOT


class NeedInfo(BaseModel):
    """``must``: without it the template cannot do its job. Without other needs it runs, but shows less."""

    slot: str
    what: str
    why: str
    must: bool


class NeedResult(NeedInfo):
    """``detail``: what the host has; ``remedy``: what to do where that is not enough."""

    host: str
    ok: bool
    detail: str
    remedy: str | None


class Judged(NamedTuple):
    ok: bool
    detail: str


Inventories = Mapping[str, Inventory]
"""By slot."""


@dataclass(frozen=True, kw_only=True)
class Need(ABC):
    """One requirement of the host that plays ``slot``. ``remedy``: what its owner, or the form, can do about it."""

    slot: str = TARGET_SLOT
    why: str
    remedy: str
    must: bool = True

    @property
    @abstractmethod
    def what(self) -> str:
        """The requirement in a few words."""

    @abstractmethod
    def judge(self, hosts: Inventories) -> Judged:
        """Whether the hosts meet it, and what they have."""

    @property
    def info(self) -> NeedInfo:
        return NeedInfo(slot=self.slot, what=self.what, why=self.why, must=self.must)

    def check(self, hosts: Inventories, name: str) -> NeedResult:
        """``name``: that of the host that plays the slot."""
        ok, detail = self.judge(hosts)
        return NeedResult(**self.info.model_dump(), host=name, ok=ok, detail=detail, remedy=None if ok else self.remedy)


@dataclass(frozen=True, kw_only=True)
class NginxModule(Need):
    """A module, compiled in or loadable, e.g. ``http_lua_module``."""

    module: str

    @property
    def what(self) -> str:
        return f"an nginx with {self.module}"

    def judge(self, hosts: Inventories) -> Judged:
        return _of_a_binary(hosts[self.slot], self.module, [binary.modules for binary in hosts[self.slot].nginx])


@dataclass(frozen=True, kw_only=True)
class NginxOption(Need):
    """An nginx configured with ``option``, e.g. ``--with-threads``."""

    option: str

    @property
    def what(self) -> str:
        return f"an nginx built {self.option}"

    def judge(self, hosts: Inventories) -> Judged:
        arguments = [binary.configure_arguments for binary in hosts[self.slot].nginx]
        return _of_a_binary(hosts[self.slot], self.option, arguments)


@dataclass(frozen=True, kw_only=True)
class NginxBuild(Need):
    """An nginx of that name, e.g. ``Tengine``; ``before``: of an older version than that, e.g. ``2.2``."""

    name: str
    before: str | None = None

    @property
    def what(self) -> str:
        return f"a {self.name}" if self.before is None else f"a {self.name} before {self.before}"

    def judge(self, hosts: Inventories) -> Judged:
        names = [[self.name] if self._is(binary.version) else [] for binary in hosts[self.slot].nginx]
        return _of_a_binary(hosts[self.slot], self.name, names)

    def _is(self, version: str) -> bool:
        """``version`` is such as ``Tengine/2.1.2 (nginx/1.6.2)``."""
        name, _, number = version.partition(" ")[0].partition("/")
        return name == self.name and (self.before is None or _parts(number) < _parts(self.before))


@dataclass(frozen=True, kw_only=True)
class NginxSince(Need):
    """An nginx of ``version``, e.g. ``1.29.7``, or a later one. ``beside_older``: and an older one, to compare."""

    version: str
    beside_older: bool = False

    @property
    def what(self) -> str:
        older = "an older nginx, and " if self.beside_older else ""
        return f"{older}nginx {self.version} or later"

    def judge(self, hosts: Inventories) -> Judged:
        inventory = hosts[self.slot]
        newer = [_number(binary.version) >= _parts(self.version) for binary in inventory.nginx]
        if not self.beside_older:
            return _of_a_binary(inventory, self.version, [[self.version] if one else [] for one in newer])
        versions = ", ".join(f"nginx {binary.version}" for binary in inventory.nginx) or "no nginx"
        return Judged(ok=any(newer) and not all(newer), detail=versions)


@dataclass(frozen=True, kw_only=True)
class Feature(Need):
    """A capability that the agent has tested, e.g. ``psi``; ``title`` names it for people."""

    capability: str
    title: str

    @property
    def what(self) -> str:
        return self.title

    def judge(self, hosts: Inventories) -> Judged:
        tested = next((one for one in hosts[self.slot].capabilities if one.name == self.capability), None)
        if tested is None:
            return Judged(ok=False, detail="the agent does not report it; it may be an older version")
        return Judged(tested.available, tested.detail)


@dataclass(frozen=True, kw_only=True)
class Cores(Need):
    count: int

    @property
    def what(self) -> str:
        return f"{self.count} CPUs or more"

    def judge(self, hosts: Inventories) -> Judged:
        has = hosts[self.slot].cpu.logical
        return Judged(has >= self.count, f"{has} CPUs")


@dataclass(frozen=True, kw_only=True)
class Memory(Need):
    size_bytes: int

    @property
    def what(self) -> str:
        return f"{_size(self.size_bytes)} of memory"

    def judge(self, hosts: Inventories) -> Judged:
        has = hosts[self.slot].memory_bytes
        return Judged(has >= self.size_bytes, _size(has))


@dataclass(frozen=True, kw_only=True)
class LessMemory(Need):
    """Less memory than data, so that the data does not stay in the page cache."""

    size_bytes: int

    @property
    def what(self) -> str:
        return f"less memory than the {_size(self.size_bytes)} of data"

    def judge(self, hosts: Inventories) -> Judged:
        has = hosts[self.slot].memory_bytes
        return Judged(has < self.size_bytes, _size(has))


@dataclass(frozen=True, kw_only=True)
class Descriptors(Need):
    """File descriptors that one process may open."""

    count: int

    @property
    def what(self) -> str:
        return f"{self.count:,} file descriptors a process"

    def judge(self, hosts: Inventories) -> Judged:
        limit = hosts[self.slot].limits.get("nofile_hard", "unknown")
        return Judged(not limit.isdigit() or int(limit) >= self.count, limit)


@dataclass(frozen=True, kw_only=True)
class AnotherHost(Need):
    """The slot on another machine than ``than``; on one machine they would compete for its CPUs."""

    than: str = TARGET_SLOT

    @property
    def what(self) -> str:
        return f"{self.slot} on another host than {self.than}"

    def judge(self, hosts: Inventories) -> Judged:
        apart = hosts[self.slot].boot_id != hosts[self.than].boot_id
        return Judged(apart, detail="two hosts" if apart else "both on one host")


@dataclass(frozen=True, kw_only=True)
class LinkSpeed(Need):
    """A network interface of at least ``mbps``, by the speed that the kernel reports."""

    mbps: int

    @property
    def what(self) -> str:
        return f"a network link of {self.mbps / 1000:g} Gbit/s"

    def judge(self, hosts: Inventories) -> Judged:
        speeds = [nic.speed_mbps for nic in hosts[self.slot].nics if nic.speed_mbps is not None]
        fastest = max(speeds, default=None)
        return Judged(fastest is not None and fastest >= self.mbps, f"{fastest:,} Mbit/s" if fastest else "unknown")


def _number(version: str) -> list[int]:
    """Of nginx itself, of which others are made: ``Tengine/2.1.2 (nginx/1.6.2)`` is a 1.6.2."""
    return _parts(version.rpartition("nginx/")[2])


def _parts(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def _of_a_binary(inventory: Inventory, wanted: str, offered: list[list[str]]) -> Judged:
    """Whether the nginx that would run has it, or else another one that is registered on the host."""
    if not inventory.nginx:
        return Judged(ok=False, detail="no nginx")
    having = [binary.path for binary, words in zip(inventory.nginx, offered, strict=True) if wanted in words]
    leading = inventory.nginx[0]
    if leading.path in having:
        return Judged(ok=True, detail=f"nginx {leading.version}")
    if having:
        return Judged(ok=False, detail=f"{leading.path} lacks it, but {having[0]} has it: choose it for the run")
    return Judged(ok=False, detail=f"nginx {leading.version} lacks it")


def _size(size: int) -> str:
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.3g} MiB"
