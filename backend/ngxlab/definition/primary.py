"""The metrics on which claims are made unless somebody names others: those of the load, and those that show what arms
differ in (``primary.toml``)."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from ngxlab_contracts.engines import ENGINES
from ngxlab_policy import lua
from ngxlab_policy.syntax import ConfigSyntaxError, Directive, parse
from pydantic import BaseModel, ConfigDict

from ngxlab.analysis.metrics import CAPACITY, PLATEAU
from ngxlab.analysis.verdict.claims import default_primary
from ngxlab.definition.schema.streams import Stream

_MOST = 3
"""More would share the allowed error among too many claims."""
_DIRECTIVE = re.compile(r"[a-z][a-z0-9_]*( |$)")


class Telling(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    directives: tuple[str, ...]
    metrics: tuple[str, ...]
    without: tuple[str, ...] = ()

    def tells_of(self, directive: str) -> bool:
        return _is_one_of(directive, self.directives) and not _is_one_of(directive, self.without)


def _is_one_of(directive: str, patterns: Sequence[str]) -> bool:
    return any(_is(directive, pattern) for pattern in patterns)


def _is(directive: str, pattern: str) -> bool:
    (name, _, arguments), (of_name, _, of_arguments) = directive.partition(" "), pattern.partition(" ")
    return fnmatchcase(name, of_name) and fnmatchcase(arguments, of_arguments or "*")


@cache
def table() -> list[Telling]:
    declared = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [Telling.model_validate(one) for one in declared["telling"]]


def of_load(streams: Sequence[Stream]) -> tuple[str, ...]:
    """What each load measures; probes are none."""
    loads = [stream for stream in streams if not stream.probe]
    return default_primary([ENGINES[stream.engine].loop for stream in loads], steered=_steered(loads))


def _steered(streams: Sequence[Stream]) -> str | None:
    if any(stream.capacity is not None for stream in streams):
        return CAPACITY
    return PLATEAU if any(stream.curve is not None for stream in streams) else None


def differing(configs: Sequence[str]) -> list[str]:
    """The directives, with their arguments, that not all of the configurations have as often in the same block:
    ``gzip on`` of one location is not that of another."""
    counts = [_lines(text) for text in configs]
    every = dict.fromkeys(line for of_one in counts for line in of_one)
    found = dict.fromkeys(text for blocks, text in every if len({of_one[blocks, text] for of_one in counts}) > 1)
    return [line for line in found if _DIRECTIVE.match(line)]


def _lines(config: str) -> Counter[tuple[tuple[str, ...], str]]:
    """Each directive with the blocks around it, from the outermost, and how often it stands there; where nginx could
    not read the text, each line."""
    try:
        return Counter(_told(parse(config, lua.recognise), ()))
    except ConfigSyntaxError:
        return Counter(((), line.strip(" \t{;")) for line in config.splitlines())


def _told(directives: Sequence[Directive], blocks: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for one in directives:
        line = " ".join((one.name, *one.args))
        yield blocks, line
        yield from _told(one.block or (), (*blocks, line))


def proposed(directives: Sequence[str], defaults: Sequence[str]) -> list[str]:
    """What ``directives`` that differ speak of, one metric of each kind before the rest, and the first of ``defaults``
    that is not among them; empty where they speak of none, or the load does not count requests by the second."""
    telling = [one.metrics for one in table() if any(map(one.tells_of, directives))]
    if not telling or "requests_per_s" not in defaults:
        return []
    wanted = [metrics[0] for metrics in telling] + [metric for metrics in telling for metric in metrics[1:]]
    first = list(dict.fromkeys(wanted))[: _MOST - 1]
    return list(dict.fromkeys([*first, *defaults]))[:_MOST]
