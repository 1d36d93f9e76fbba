"""The form of a template: typed parameters with the article's values, and presets for all of them."""

import math
from collections.abc import Mapping
from typing import Literal

from ngxlab_contracts.sentences import Sentence, say
from pydantic import BaseModel

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.plan import Plan

ParameterKind = Literal["integer", "number", "choice", "boolean", "integers", "numbers"]
"""``integers`` and ``numbers`` are lists for a sweep, written ``30, 150, 300``."""

MAX_LISTED = 20
_LARGEST = 2**53


class Choice(BaseModel):
    value: str
    label: str


class Parameter(BaseModel):
    """One field of a template's form. ``article_value``: the value in the published article."""

    name: str
    section: str
    label: str
    help: str
    kind: ParameterKind
    default: LevelValue
    unit: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: list[Choice] = []
    article_value: str | None = None

    def problem_with(self, value: object) -> Sentence | None:
        """Why ``value`` is not acceptable, or ``None``."""
        if self.kind == "choice":
            allowed = [choice.value for choice in self.choices]
            return None if value in allowed else say("choose one of {names}", names=", ".join(allowed))
        if self.kind == "boolean":
            return None if isinstance(value, bool) else say("must be true or false")
        if self.kind in {"integers", "numbers"}:
            return self._problem_in_list(value)
        return self._problem_with_number(value, whole=self.kind == "integer")

    def _problem_in_list(self, value: object) -> Sentence | None:
        try:
            listed = numbers(str(value))
        except ValueError:
            return say("must be numbers separated by commas, e.g. 30, 150, 300")
        if not 1 <= len(listed) <= MAX_LISTED or len(set(listed)) < len(listed):
            return say("give 1 to {most} different numbers", most=MAX_LISTED)
        problems = (self._problem_with_number(one, whole=self.kind == "integers") for one in listed)
        return next((say("each {problem}", problem=problem) for problem in problems if problem), None)

    def _problem_with_number(self, value: object, *, whole: bool) -> Sentence | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return say("must be a number")
        if not abs(value) <= _LARGEST:  # which NaN is not either
            return say("is too large a number")
        if whole and value != int(value):
            return say("must be a whole number")
        unit = f" {self.unit}" if self.unit else ""
        if self.minimum is not None and value < self.minimum:
            return say("must be at least {least:g}{unit}", least=self.minimum, unit=unit)
        if self.maximum is not None and value > self.maximum:
            return say("must be at most {most:g}{unit}", most=self.maximum, unit=unit)
        return None


class Preset(BaseModel):
    """Values for a whole form. *compact* comes first and runs on one small machine in less than five minutes;
    *faithful* repeats the publication."""

    key: str
    label: str
    help: str
    values: dict[str, LevelValue]


def numbers(text: LevelValue) -> list[int | float]:
    """The numbers of a list parameter, whole ones as integers. Raises ValueError for anything else."""
    listed = [float(word) for word in str(text).split(",")]
    if not all(math.isfinite(one) for one in listed):
        raise ValueError("infinite")
    return [int(one) if one == int(one) else one for one in listed]


def plan_of(values: Mapping[str, LevelValue]) -> Plan:
    """The plan from these parameters."""
    return Plan(
        blocks=int(values["blocks"]),
        warmup_s=float(values["warmup_s"]),
        measure_s=float(values["measure_s"]),
        cooldown_s=float(values["cooldown_s"]),
        interval_ms=int(values["interval_ms"]),
    )
