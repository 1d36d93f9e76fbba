"""One problem of a definition, at its field."""

from collections.abc import Iterable, Iterator

from pydantic import Field

from ngxlab.core.errors import FieldProblem

Messages = Iterator[tuple[str, str]]
"""Fields and what is wrong with them: what rules find, where no line and no arm matters."""


class DefinitionProblem(FieldProblem):
    """``line`` counts from 1 within the field's text, if it has lines. ``arms``: the arms with it; empty for all."""

    line: int | None = None
    arms: list[str] = Field(default_factory=list)


def unknown(what: str, name: object, names: Iterable[str]) -> str:
    """Message about a name that refers to nothing: ``there is no slot 'x'; the slots are target, generator``."""
    listed = ", ".join(names)
    return f"there is no {what} {name!r}; " + (f"the {what}s are {listed}" if listed else "there are none")
