"""The directives that an experiment may contain, and where nginx allows each, for the editors of the page."""

from collections import defaultdict
from pathlib import Path

from crossplane.analyzer import CONTEXTS, DIRECTIVES
from ngxlab.configurations.known import VARIABLES
from ngxlab_policy.directives import EVENTS, HTTP, MAIN, UPSTREAM

from scripts.paths import FRONTEND

FILE = FRONTEND / "src" / "components" / "ui" / "code" / "directives.ts"
_HEAD = """\
// What an experiment's configuration may contain, by the blocks in which nginx allows it, and nginx's own variables.
// Written by `make api-client`: do not edit.

"""
_PLACES = {
    "http": ("http",),
    "server": ("http", "server"),
    "location": ("http", "location"),
    "if": ("http", "location", "if"),
}


def generate() -> dict[Path, str]:
    """The file, by its path."""
    groups: dict[str, list[str]] = defaultdict(list)
    groups |= {"main": sorted(MAIN), "events": sorted(EVENTS), "upstream": sorted(UPSTREAM)}
    for name in sorted(HTTP):
        groups[" ".join(_places(name))].append(name)
    texts = [
        _HEAD,
        "export const DIRECTIVES: Readonly<Record<string, string>> = {\n",
        *(f"  {_key(places)}: '{' '.join(names)}',\n" for places, names in sorted(groups.items())),
        "};\n\n",
        f"export const VARIABLES =\n  '{' '.join(sorted(VARIABLES))}';\n",
    ]
    return {FILE: "".join(texts)}


def _places(name: str) -> tuple[str, ...]:
    """All of http, for a directive that crossplane does not know: a host's nginx says where it belongs."""
    masks = DIRECTIVES.get(name)
    if masks is None:
        return ("http", "server", "location")
    return tuple(place for place, context in _PLACES.items() if any(mask & CONTEXTS[context] for mask in masks))


def _key(places: str) -> str:
    return f"'{places}'" if " " in places else places
