"""A model as the part of an experiment's document that asks for it and answers it: requests, files, configuration."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ngxlab_cli.mix.arrivals import text_of
from ngxlab_cli.mix.model import Entry, Model
from ngxlab_cli.mix.popularity import Popularity
from ngxlab_cli.mix.private_paths import NUMBER

MOST_REQUESTS = 1000
"""What a definition with a few fields of each request has room for."""
MOST_NUMBERS = 10_000_000_000
MOST_LAWS = 10
"""Of so many paths, the most frequent ones, Zipf's law is looked for: it takes a second each."""
LARGEST_FILE = 1 << 30
_OTHERS = (
    "root @@folder@@/files;",
    "# what no file answers",
    "if ($request_method !~ ^(GET|HEAD)$) { return 204; }",
    "location / { return 204; }",
)


@dataclass(frozen=True)
class MixOptions:
    """``top``: how many requests are kept, the most frequent ones. ``least``: rarer ones are left out, which one
    person alone may have asked for."""

    top: int = 200
    least: int = 1


@dataclass(frozen=True)
class Mix:
    """Parts of a definition. ``answered``: requests of the log that the files answer; ``kept``: those in the mix.
    ``laws``: how unequally numbers are asked for, by method and path."""

    requests: list[dict[str, Any]]
    files: list[dict[str, Any]]
    server: str
    kept: int
    answered: int
    laws: dict[str, Popularity]


def mix_of(model: Model, options: MixOptions) -> Mix:
    entries = [one for one in model.most(options.top) if one.weight >= options.least]
    folders = _folders(entries)
    laws = _laws(entries)
    files = [{"folder": folder, "count": 1, "size_bytes": _size(group)} for folder, group in folders.items()]
    locations = [
        f"location {_place(one)} {{ try_files /{folder}/0 =404; }}"
        for folder, group in folders.items()
        for one in group
    ]
    return Mix(
        requests=[_request(one, laws.get(_key(one))) for one in entries],
        files=files,
        server="\n".join([*_OTHERS, *locations]),
        kept=sum(one.weight for one in entries),
        answered=sum(one.weight for group in folders.values() for one in group),
        laws=laws,
    )


def _key(one: Entry) -> str:
    return f"{one.method} {one.path}"


def _laws(entries: Sequence[Entry]) -> dict[str, Popularity]:
    numbered = [one for one in entries if one.count is not None][:MOST_LAWS]
    return {_key(one): law for one in numbered if (law := one.popularity) is not None}


def _request(one: Entry, law: Popularity | None) -> dict[str, Any]:
    said: dict[str, Any] = {"weight": one.weight, "path": one.path}
    if one.method != "GET":
        said["method"] = one.method
    if law is not None:
        said |= {"count": law.count, "draw": "zipf", "exponent": math.floor(100 * law.exponent + 0.5) / 100}
    elif one.count is not None:
        said["count"] = max(1, min(one.count, MOST_NUMBERS))
    return said


def _folders(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """What files answer, by the folder of a file of like size, the smallest first."""
    sized = [(_class(one.size), one) for one in entries if one.method == "GET" and one.size is not None]
    return {f"mix-{size}": [one for own, one in sized if own == size] for size in sorted({size for size, _ in sized})}


def _class(size: int) -> int:
    """The next power of two, or one and a half times one: a file is at most so much larger than the response."""
    bound = 256
    while bound < size:
        bound += bound // 2 if bound & (bound - 1) == 0 else bound // 3
    return bound


def _size(group: Sequence[Entry]) -> int:
    """Bytes of their file: as responses on average."""
    total, count = sum(one.bytes for one in group), sum(one.sized for one in group)
    return min(LARGEST_FILE, (2 * total + count) // (2 * count))


def _place(one: Entry) -> str:
    """The name of nginx's location."""
    if NUMBER not in one.path:
        return f"= {one.path}"
    before, after = (re.sub(r"[^A-Za-z0-9/_-]", r"\\\g<0>", part) for part in one.path.split(NUMBER))
    return f"~ ^{before}[0-9]+{after}$"


def text(mix: Mix, rate: str) -> str:
    """The YAML of the parts. ``rate``: what the open loop is told, such as ``rate_per_s: 5``."""
    return "\n".join(_lines(mix, rate)) + "\n"


def _lines(mix: Mix, rate: str) -> Iterator[str]:
    yield "nginx:"
    yield "  files:" if mix.files else "  files: []"
    for one in mix.files:
        yield f"    - {_flow(one)}"
    yield "  server: |"
    yield from (f"    {line}" for line in mix.server.splitlines())
    yield "streams:"
    yield "  - key: main"
    yield "    engine: open-loop"
    yield "    connections: 64"
    yield f"    open_loop: {{{rate}}}"
    yield "    requests:"
    for one in mix.requests:
        yield f"      - {_flow(one)}"


def mean_rate(per_s: float | None) -> str:
    """The log's own on average."""
    number = "1000" if per_s is None else f"{max(per_s, 0.001):.3f}".rstrip("0").rstrip(".")
    return f"rate_per_s: {number}"


def replayed(ticks: list[int], speed: float) -> str:
    """The log's own instants."""
    return f'replay: {{speed: {speed:g}, gaps: "{text_of(ticks)}"}}'


def _flow(values: dict[str, Any]) -> str:
    """JSON is YAML."""
    return f"{{{', '.join(f'{name}: {json.dumps(value)}' for name, value in values.items())}}}"
