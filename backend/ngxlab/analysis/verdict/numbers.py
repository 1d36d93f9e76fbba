"""Numbers of a comparison as sentences of the report (docs/method-details.md, Numbers)."""

from collections.abc import Sequence

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict.numbers import bytes_apart, decimals, power_of_bytes, texts_of


def estimate_texts(
    estimate: float,
    low: float | None,
    high: float | None,
    *,
    ratio: bool,
    unit: str = "",
    factors: bool | None = None,
) -> tuple[str, Sentence | None]:
    """The estimate and its interval, ready to print; ``None`` without an interval (``ngxlab_verdict.numbers``)."""
    texts = texts_of(estimate, low, high, ratio=ratio, unit=unit, factors=factors)
    if texts.low is None or texts.high is None:
        return texts.estimate, None
    return texts.estimate, say("{low} to {high}", low=texts.low, high=texts.high)


def levels(values: Sequence[float], unit: str) -> list[str]:
    """Means side by side: the last has their unit (``61.0``, ``4.00 %``), of bytes each (``100 KiB``, ``0 B``)."""
    if unit == "bytes":
        return [bytes_apart(value, power=power_of_bytes(abs(value))).lstrip("+") for value in values]
    texts = [f"{value:,.{decimals(value)}f}" for value in values]
    return texts if unit in ("", "CV") else [*texts[:-1], f"{texts[-1]} {unit}"]


def in_unit(figure: str, unit: str) -> Sentence:
    """A difference, or an interval of them, with its unit: ``+27.9 calls``, ``+1.2 percentage points``."""
    if unit == "%":
        return say("{figure} percentage point" if figure == "1" else "{figure} percentage points", figure=figure)
    if unit in ("CV", "bytes"):
        return say("{figure}", figure=figure)
    return say("{figure} " + unit if is_word(unit) else "{figure} {unit}", figure=figure, unit=unit)


def is_word(unit: str) -> bool:
    """Whether a unit is a word of the language, such as calls, and no sign."""
    return len(unit) > 2 and unit.isalpha()
