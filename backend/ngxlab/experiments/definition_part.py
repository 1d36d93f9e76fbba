"""What the parts of a definition are made of."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]
_Expression = Annotated[str, Field(pattern=r"\{\{.*\}\}", max_length=200)]
Templated = int | _Expression
TemplatedNumber = int | float | _Expression
TemplatedText = Annotated[str, Field(max_length=65_536)]


@dataclass(frozen=True)
class Within:
    """The range of a templated number, known only when an arm has given it its value."""

    minimum: float
    maximum: float
    whole: bool = True


class DefinitionPart(BaseModel):
    model_config = ConfigDict(extra="forbid")
