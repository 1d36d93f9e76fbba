"""Numbers of a comparison as text (docs/method.md, Numbers)."""

import math
from collections.abc import Sequence
from functools import partial

from ngxlab_contracts.sentences import Sentence, say

_FACTOR_FROM = 2.0
_PERCENT_UP_TO = 11.0
"""A change of more than +1,000 % is read as a factor only."""
_MOST_MORE = 4
"""Decimals, in addition to the usual ones."""
_MINUS = "\N{MINUS SIGN}"
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


def estimate_texts(
    estimate: float, low: float | None, high: float | None, *, ratio: bool, unit: str = ""
) -> tuple[str, Sentence | None]:
    """The estimate and its 95 % interval, ready to print; ``None`` without an interval.

    All three numbers have one scale: factors where the estimate is 2 or more (``2.4x``, ``1.4x to 4.1x``) or the
    interval reaches beyond +1,000 % (``1.5x``, ``0.99x to 264x``), else percent (``+50 %``, ``−1 % to +120 %``).
    Differences have no scale to choose, but for bytes: the greatest of the three does (``−0.3 GiB``, ``−248 GiB to +248
    GiB``). All three have as many more decimals as it takes to tell the interval's ends apart, but changes of less than
    a percent no more than two digits that count.
    """
    factors = is_factor(estimate) or (high is not None and high >= _PERCENT_UP_TO)
    apart = difference
    if unit == "bytes":
        apart = partial(
            bytes_apart, power=_power(max(abs(value) for value in (estimate, low, high) if value is not None))
        )
    text = apart if not ratio else factor if factors else percent
    if low is None or high is None:
        return text(estimate), None
    most = _MOST_MORE if text is not percent else _most_more(max(abs(low - 1), abs(high - 1)))
    more = next((more for more in range(most) if text(low, more) != text(high, more)), most)
    return text(estimate, more), say("{low} to {high}", low=text(low, more), high=text(high, more))


def _most_more(change: float) -> int:
    """Decimals besides the usual one that give the greater of two changes two digits that count."""
    if not 0 < change < 0.01:
        return _MOST_MORE
    return min(_MOST_MORE, -math.floor(math.log10(100 * change)))


def is_factor(ratio: float) -> bool:
    """Whether a ratio that stands alone is written as a factor (``2.4x``) and not as a change in percent."""
    return ratio >= _FACTOR_FROM


def change(ratio: float) -> str:
    """``2.4x`` or ``+12 %``."""
    return factor(ratio) if is_factor(ratio) else percent(ratio)


def factor(ratio: float, more: int = 0) -> str:
    """``346x``, ``9.1x``, ``0.034x``, with ``more`` decimals."""
    if ratio >= 100:
        return f"{ratio:,.{more}f}x"
    return f"{ratio:.{1 + more}f}x" if ratio >= 1 else f"{ratio:.{2 + more}g}x"


def percent(ratio: float, more: int = 0) -> str:
    """``+12 %``, ``−1.8 %``; a decimal only below 10 %, and ``more``."""
    size = size_in_percent(ratio, more)
    return size if size == "0 %" else f"{'+' if ratio > 1 else _MINUS}{size}"


def size_in_percent(ratio: float, more: int = 0) -> str:
    """The change without its sign: ``12 %``, ``1.8 %``, ``0 %``."""
    size = 100 * abs(ratio - 1)
    if size >= 10:
        return f"{size:,.{more}f} %"
    return f"{size:.{1 + more}f}".removesuffix(f".{'0' * (1 + more)}") + " %"


def difference(value: float, more: int = 0) -> str:
    """``−0.12``, ``+27.9``, ``−102,887``."""
    return f"{value:+,.{decimals(value) + more}f}".replace("-", _MINUS)


def bytes_apart(value: float, more: int = 0, *, power: int) -> str:
    """``+31.2 B``, ``−102 KiB`` (``power`` 1), with ``more`` decimals."""
    scaled = value / 1024**power
    digits = 0 if scaled == 0 or abs(scaled) >= 100 else 1 if abs(scaled) >= 10 else 2
    return f"{scaled:+,.{digits + more}f} {_BINARY[power]}".replace("-", _MINUS)


def _power(size: float) -> int:
    """The greatest power of 1,024 that is not above ``size``."""
    return max((power for power in range(len(_BINARY)) if size >= 1024**power), default=0)


def levels(values: Sequence[float], unit: str) -> list[str]:
    """Means side by side: the last has their unit (``61.0``, ``4.00 %``), of bytes each (``100 KiB``, ``0 B``)."""
    if unit == "bytes":
        return [bytes_apart(value, power=_power(abs(value))).lstrip("+") for value in values]
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


def decimals(value: float) -> int:
    """How many decimals a difference or a mean is written with."""
    return 2 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
