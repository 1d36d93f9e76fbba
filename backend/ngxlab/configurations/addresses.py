"""Whom a configuration passes requests to, and the declared upstream servers that take their place."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ngxlab_contracts.trials import UpstreamProtocol
from ngxlab_policy.arguments import name_problem

from ngxlab.configurations.records import Record
from ngxlab.configurations.sources import Statement, every
from ngxlab.definition.schema.upstream_servers import Sink, UpstreamServer

SLOT = "upstream"
MOST_DECLARED = 50
RESPONSE_BYTES = 4096
"""What each declared upstream server answers: about the size of a small page or an answer of an API."""
_OTHERS = "others"
_SCHEME = re.compile(r"(?:(?P<scheme>https?|grpcs?|suwsgi|uwsgi)://)?(?P<rest>.*)", re.DOTALL)
_HOST = re.compile(r"((?:[^/$]|\$(?!\{?(?:request_uri|uri|is_args)\b)\{?\w+\}?)+)(.*)", re.DOTALL)
_PATH = re.compile(r"/|\$(request_uri|uri)(?!\w)", re.ASCII)
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_TLS = frozenset({"https", "grpcs", "suwsgi"})


@dataclass(frozen=True)
class Target:
    """``path``: what stands behind the host, empty or as ``proxy_pass`` of an experiment may have it."""

    tls: bool
    host: str
    path: str


def target(address: str) -> Target:
    """What an argument of ``proxy_pass``, ``fastcgi_pass`` and the like means."""
    found = _SCHEME.fullmatch(address)
    assert found is not None  # noqa: S101 (the pattern takes any text)
    rest = found["rest"]
    if rest.startswith("unix:"):
        socket, _, path = rest.removeprefix("unix:").partition(":")
        host = f"unix-{socket.rsplit('/', 1)[-1].removesuffix('.sock')}"
    else:
        split = _HOST.fullmatch(rest)
        host, path = (split[1], split[2]) if split else (rest, "")
    path = re.sub(r"^\$\{(uri|request_uri)\}", r"$\1", path)
    return Target(found["scheme"] in _TLS, host, path if _PATH.match(path) else "")


class Upstreams:
    """The upstream groups of one configuration, by what it calls them, with the declared servers of each."""

    def __init__(self, http: Iterable[Statement]) -> None:
        self._values = _values(http)
        self._names: dict[str, str] = {}
        self.declared: dict[str, UpstreamServer] = {}
        self.protocols: dict[str, UpstreamProtocol] = {}
        """What a group's servers speak: what the first directive that means it asks by."""
        self.tls: dict[str, bool] = {}
        """Whether a group's servers speak TLS: what the first address that means it says."""
        self.added: dict[str, Record] = {}
        """Groups that the configuration does not define, since it names an address in their place; by the line."""
        for one in every(http):
            if one.name == "upstream" and one.args:
                self.name_of(one.args[0])

    def name_of(self, written: str) -> str:
        """The group's name in the experiment."""
        if written not in self._names:
            name = free = _slug(written)
            number = 1
            while free in self._names.values():
                number += 1
                free = f"{name}-{number}"
            self._names[written] = free
        return self._names[written]

    def group(self, asked: Target, at: Record, protocol: UpstreamProtocol) -> str:
        """The group that an address means: a defined one, or one that is added for it."""
        known = self._known(asked)
        if known.host not in self._names:
            self.added[self.name_of(known.host)] = at
            self.declare(self.name_of(known.host), 1)
        name = self.name_of(known.host)
        self.protocols.setdefault(name, protocol)
        self.tls.setdefault(name, (asked.tls or known.tls) and protocol in {"http", "grpc"})
        return name

    def _known(self, asked: Target) -> Target:
        """Through the variables that ``set`` and ``map`` give values to, as far as one leads to a group."""
        for _ in range(5):
            found = _VARIABLE.fullmatch(asked.host)
            named = [target(value) for value in (self._values.get(found[1].lower(), []) if found else []) if value]
            following = next((one for one in named if one.host in self._names), named[0] if named else None)
            if following is None or following.host == asked.host:
                break
            asked = following
        return asked

    def declare(self, name: str, instances: int) -> str:
        """The key of the declared server for a group, with at least so many instances."""
        key = name if name in self.declared or len(self.declared) < MOST_DECLARED - 1 else _OTHERS
        before = self.declared[key].instances if key in self.declared else 1
        self.declared[key] = UpstreamServer(
            key=key,
            slot=SLOT,
            instances=min(1000, max(instances, before)),
            behaviour=Sink(response_bytes=RESPONSE_BYTES),
        )
        return key

    def servers(self) -> list[UpstreamServer]:
        return [
            one.model_copy(
                update={
                    "tls": self.tls.get(key, False),
                    "protocol": (protocol := self.protocols.get(key, "http")),
                    # What nginx compresses by itself, as most of what it passes on is.
                    "behaviour": Sink(response_bytes=RESPONSE_BYTES, content="html" if protocol == "http" else "text"),
                }
            )
            for key, one in self.declared.items()
        ]


def _slug(written: str) -> str:
    plain = _VARIABLE.sub(r"\1", written).lower()
    slug = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-_")[:50].rstrip("-_").replace("ngxlab_", "")
    if not re.match(r"[a-z]", slug):
        slug = f"app-{slug}".rstrip("-")
    return f"{slug}-app" if name_problem(slug) is not None else slug


def _values(http: Iterable[Statement]) -> Mapping[str, list[str]]:
    """By variable, in lower case: what it may be given."""
    values: dict[str, list[str]] = {}
    for one in every(http):
        if one.name == "set" and len(one.args) == 2:
            values.setdefault(one.args[0].lstrip("$").strip("{}").lower(), []).append(one.args[1])
        elif one.name in {"map", "geo", "split_clients"} and one.args:
            pairs = [pair.args[-1] for pair in one.block or () if pair.args]
            values.setdefault(one.args[-1].lstrip("$").lower(), []).extend(pairs)
    return values
