"""The base of every wire message: closed where one is written, open where one is read."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, WrapValidator

Item = TypeVar("Item")
Items = Annotated[list[Item], FailFast()]
"""A long list: the first wrong item ends the reading, so that a list of wrong ones costs no more than a right one."""
Whole = Annotated[int, Field(strict=True, ge=-(2**53), le=2**53)]
"""A whole number that the database, numpy, double floats and JavaScript all hold exactly."""
Natural = Annotated[int, Field(strict=True, ge=0, le=2**53)]
Real = Annotated[float, Field(strict=True, ge=-1e24, le=1e24, allow_inf_nan=False)]
"""A finite number whose squares and sums are finite too; counters of 64 bits end at 2e19."""


class Message(BaseModel):
    """Immutable. Unknown fields are refused, which finds misspelt ones; only :func:`read` and :func:`opened` ignore
    them, for messages of a newer version."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ExactMessage(Message):
    """A message in which ``true`` and ``"5"`` are no numbers, and 0 is not false."""

    model_config = ConfigDict(strict=True)


AnyMessage = TypeVar("AnyMessage", bound=Message)


def read(kind: type[AnyMessage], text: bytes | str) -> AnyMessage:
    """A message from the wire, whose unknown fields are ignored. Raises ``ValidationError``."""
    return kind.model_validate_json(text, extra="ignore")


def opened(kind: type[AnyMessage]) -> WrapValidator:
    """Annotates a message that others read for us, such as the body of a request: as :func:`read`."""
    return WrapValidator(
        lambda value, _: value if isinstance(value, kind) else kind.model_validate(value, extra="ignore")
    )
