"""The base of all sections of a definition, and its number types."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ngxlab.core.payload import Name

_EXACT = 2**53


def _plain(value: float | str) -> float | str:
    """Store 2.0 as 2; otherwise a default of 0 that a document leaves out would come back different from 0.0."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT else value


ExperimentName = Name
Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]
BuildKey = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=100)]
Expression = Annotated[str, Field(pattern=r"\{\{.*\}\}", max_length=200)]
Templated = int | Expression
TemplatedNumber = Annotated[int | float | Expression, AfterValidator(_plain)]
TemplatedText = Annotated[str, Field(max_length=65_536)]
KEY = "its name in this document: lower-case letters, digits, - and _"
LABEL = "its name for people, in charts and reports"
SLOT = "the slot whose host does this; a run assigns a host to each slot"


@dataclass(frozen=True)
class Within:
    """The range of a templated number, checked when an arm has given it its value."""

    minimum: float
    maximum: float
    whole: bool = True


@dataclass(frozen=True)
class OneOf:
    """What a templated word may be, checked when an arm has given it its value."""

    words: tuple[str, ...]


class DefinitionModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
