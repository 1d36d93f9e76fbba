"""One thing wrong in a definition, at its field."""

from pydantic import Field

from ngxlab.core.errors import FieldProblem


class DefinitionProblem(FieldProblem):
    """``line`` counts from 1 within the field's text, where it has lines. ``arms``: those concerned; empty for all."""

    line: int | None = None
    arms: list[str] = Field(default_factory=list)
