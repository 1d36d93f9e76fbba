"""How to break a sound definition at one place."""

from typing import Any, NamedTuple

from definition.definitions import sound

ABSENT = object()


class Broken(NamedTuple):
    """``field``: what a problem must name. ``said``: a part of its message."""

    name: str
    raw: dict[str, Any]
    field: str
    said: str


def change(path: str, value: Any) -> dict[str, Any]:
    raw = sound()
    here: Any = raw
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in parents:
        here = here.setdefault(part, {}) if isinstance(here, dict) else here[part]
    if value is ABSENT:
        del here[last]
    elif isinstance(here, list) and last == len(here):
        here.append(value)
    else:
        here[last] = value
    return raw


def broken(path: str, value: Any, said: str, field: str | None = None) -> Broken:
    shown = "without it" if value is ABSENT else repr(value)[:60]
    return Broken(f"{path} = {shown}", change(path, value), field or path, said)
