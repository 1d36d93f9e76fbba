"""The directives of an experiment's configuration that are made of somebody's own, and their text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ngxlab_policy.syntax import ConfigSyntaxError, parse

from ngxlab.configurations.records import Record

INDENT = "    "
_PLAIN = re.compile(r"[^\s;{}\"'\\#@]+")


@dataclass(frozen=True)
class Made:
    """``record``: the line that it comes from. ``place``: it is a placeholder for servers, such as @@upstream.app@@."""

    name: str
    args: tuple[str, ...]
    block: tuple["Made", ...] | None
    record: Record
    place: bool = False

    @property
    def words(self) -> str:
        return self.name if self.place else " ".join(map(quoted, (self.name, *self.args)))

    def with_block(self, block: Iterable["Made"]) -> "Made":
        return replace(self, block=tuple(block))


def quoted(word: str) -> str:
    """The word as nginx reads it back."""
    if _PLAIN.fullmatch(word) or (word and _reads_as(word, word)):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _reads_as(text: str, word: str) -> bool:
    try:
        return [one.args for one in parse(f"x {text};")] == [(word,)]
    except ConfigSyntaxError:
        return False


def lines(block: Iterable[Made], depth: int = 0) -> Iterator[tuple[str, Made]]:
    """Each line of the text, with the directive that it is, or whose block it ends."""
    margin = INDENT * depth
    for one in block:
        if one.block is None:
            yield f"{margin}{one.words}{'' if one.place else ';'}", one
            continue
        yield f"{margin}{one.words} {{", one
        yield from lines(one.block, depth + 1)
        yield f"{margin}}}", one


def text(block: Iterable[Made], depth: int = 0) -> str:
    return "\n".join(line for line, _ in lines(block, depth))


def every(block: Iterable[Made]) -> Iterator[Made]:
    for one in block:
        yield one
        yield from every(one.block or ())


def without(block: Sequence[Made], dropped: frozenset[int]) -> tuple[Made, ...]:
    """The block without these, by ``id``, wherever they are in it."""
    return tuple(
        one if one.block is None else one.with_block(without(one.block, dropped))
        for one in block
        if id(one) not in dropped
    )
