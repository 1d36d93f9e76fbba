"""Two configurations as one text with variables where they differ, and the differences by themselves."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import combinations

from ngxlab.configurations.made import INDENT, Made, every, text

_MOST_SHOWN = 60


@dataclass(frozen=True)
class Difference:
    """``old`` and ``new``: the lines that stand in one place of ``part``, empty where one side has none there.

    ``within``: the blocks around it, the outermost first.
    """

    part: str
    within: tuple[str, ...]
    old: tuple[Made, ...]
    new: tuple[Made, ...]

    def key(self, number: int) -> str:
        """The variable that has its value: the directive, and the number of the difference."""
        name = (self.new or self.old)[0].name
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40]
        return f"{plain}_{number}" if plain[:1].isalpha() else f"value_{number}"

    @property
    def title(self) -> str:
        """The directives that it changes, and how: for people."""
        before, after = (_shown(block) for block in (self.old, self.new))
        words = f"{before} → {after}" if before and after else f"+ {after}" if after else f"− {before}"
        return words if len(words) <= _MOST_SHOWN * 2 else f"{words[: _MOST_SHOWN * 2 - 1]}…"


def _shown(block: Sequence[Made]) -> str:
    words = "; ".join(one.words for one in block)
    return words if len(words) <= _MOST_SHOWN else f"{words[: _MOST_SHOWN - 1]}…"


@dataclass
class Merged:
    """``texts``: by fragment, with ``{{ gzip_1 }}`` in the place of the first of ``differences``, and so on."""

    texts: dict[str, str] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)


def merge(old: Mapping[str, tuple[Made, ...]], new: Mapping[str, tuple[Made, ...]]) -> Merged:
    merged = Merged()
    for part, block in old.items():
        merged.texts[part] = "\n".join(_merged(merged, part, (), block, new[part]))
    return merged


def _merged(
    merged: Merged, part: str, within: tuple[str, ...], old: Sequence[Made], new: Sequence[Made]
) -> Iterator[str]:
    depth = len(within)
    before, after = [text([one]) for one in old], [text([one]) for one in new]
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (literal(line) for line in text(old[i:j], depth).split("\n"))
            continue
        yield from _changed(merged, part, within, old[i:j], new[k:m])


def _changed(
    merged: Merged, part: str, within: tuple[str, ...], old: Sequence[Made], new: Sequence[Made]
) -> Iterator[str]:
    """Blocks with the same head are compared inside; directives of one name are one difference each."""
    margin = INDENT * len(within)
    heads = SequenceMatcher(None, [_key(one) for one in old], [_key(one) for one in new], autojunk=False)
    for tag, i, j, k, m in heads.get_opcodes():
        if tag != "equal":
            yield f"{margin}{{{{ {_noted(merged, Difference(part, within, tuple(old[i:j]), tuple(new[k:m])))} }}}}"
            continue
        for one, other in zip(old[i:j], new[k:m], strict=True):
            if text([one]) == text([other]):
                yield from (literal(line) for line in text([one], len(within)).split("\n"))
            elif one.block is not None and other.block is not None and one.words == other.words:
                yield literal(f"{margin}{one.words} {{")
                yield from _merged(merged, part, (*within, one.words), one.block, other.block)
                yield f"{margin}}}"
            else:
                yield f"{margin}{{{{ {_noted(merged, Difference(part, within, (one,), (other,)))} }}}}"


def _key(one: Made) -> str:
    return one.words if one.block is not None or one.place else one.name


def _noted(merged: Merged, difference: Difference) -> str:
    merged.differences.append(difference)
    return difference.key(len(merged.differences))


def literal(line: str) -> str:
    """The line with what a template would take for its own written as text."""
    return re.sub(r"\{[{%#]|[%#}]\}", lambda found: f'{{{{ "{found[0]}" }}}}', line)


def value(block: Sequence[Made], depth: int) -> str:
    """What a variable has for it: the first line without its margin, which stands before the variable."""
    return text(block, depth).removeprefix(INDENT * depth)


def together(differences: Sequence[Difference]) -> list[list[int]]:
    """Numbers of differences, grouped: one that defines what another uses cannot be chosen without it."""
    groups = [{number} for number in range(len(differences))]
    for one, other in combinations(range(len(differences)), 2):
        if _depend(differences[one], differences[other]) or _depend(differences[other], differences[one]):
            first = next(group for group in groups if one in group)
            second = next(group for group in groups if other in group)
            if first is not second:
                first |= second
                groups.remove(second)
    return [sorted(group) for group in groups]


def _depend(one: Difference, other: Difference) -> bool:
    defined = {name for side in (one.old, one.new) for made in every(side) for name in _defines(made)}
    if not defined:
        return False
    used = " ".join(made.words for side in (other.old, other.new) for made in every(side))
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", used) for name in defined)


_NAMED_FIRST = frozenset({"upstream", "log_format", "thread_pool", "set"})
_ZONES = ("zone=", "keys_zone=")


def _defines(one: Made) -> Iterator[str]:
    """Names that other directives use."""
    if one.name in {"map", "geo", "split_clients"}:
        yield from one.args[-1:]
    elif one.name in _NAMED_FIRST or (one.name == "location" and one.args[0].startswith("@")):
        yield from one.args[:1]
    elif one.name in {"limit_req_zone", "limit_conn_zone"} or one.name.endswith("_cache_path"):
        words = (word for word in one.args if word.startswith(_ZONES))
        yield from (word.partition("=")[2].partition(":")[0] for word in words)
