"""One problem of a definition, at its field."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ngxlab_contracts.sentences import Sentence, fixed, say
from pydantic import Field

from ngxlab.core.errors import FieldProblem
from ngxlab.definition.schema.definition import slots_of
from ngxlab.definition.schema.factors import ChosenDesign, Factor, MatrixDesign
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.perturbations import Perturbation
from ngxlab.definition.schema.plan import Plan, Threshold
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import UpstreamServer

Messages = Iterator[tuple[str, Sentence]]
"""Fields and what is wrong with them: what rules find, where no line and no arm matters."""


class DefinitionProblem(FieldProblem):
    """``line`` counts from 1 within the field's text, if it has lines. ``arms``: the arms with it; empty for all."""

    line: int | None = None
    arms: list[str] = Field(default_factory=list)


def unknown(what: str, name: object, names: Iterable[str]) -> Sentence:
    """Message about a name that refers to nothing: ``there is no slot 'x'; the slots are target, generator``."""
    kind, listed = fixed(what), ", ".join(names)
    if not listed:
        return say("there is no {kind} {name}; there are none", kind=kind, name=repr(name))
    return say("there is no {kind} {name}; the {kind}s are {names}", kind=kind, name=repr(name), names=listed)


def some_of(names: Sequence[str], most: int) -> Sentence:
    """The first names, and how many more there are."""
    shown = say("{names}", names=", ".join(names[:most]))
    return say("{names} and {count} more", names=shown, count=len(names) - most) if len(names) > most else shown


@dataclass(frozen=True)
class Sections:
    """A field is None if it is broken."""

    factors: list[Factor] | None = None
    design: MatrixDesign | ChosenDesign | None = None
    baseline: str | None = None
    nginx: NginxTemplate | None = None
    upstream_servers: list[UpstreamServer] | None = None
    streams: list[Stream] | None = None
    perturbations: list[Perturbation] | None = None
    plan: Plan | None = None
    thresholds: list[Threshold | str] | None = None
    placement: str | dict[str, str] | None = None

    @property
    def slots(self) -> list[str] | None:
        """See :func:`slots_of`; None where the sections that decide on them are broken."""
        if self.streams is None or self.upstream_servers is None:
            return None
        return slots_of(self.streams, self.upstream_servers)
