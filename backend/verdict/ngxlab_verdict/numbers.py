"""Numbers of a comparison as text (docs/method-details.md, Numbers)."""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

_FACTOR_FROM = 2.0
_PERCENT_UP_TO = 11.0
"""A change of more than +1,000 % is read as a factor only."""
_ROUND_FROM = 1000.0
_MOST_MORE = 4
"""Decimals, in addition to the usual ones."""
_MINUS = "\N{MINUS SIGN}"
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


class Texts(NamedTuple):
    """An estimate and the ends of its interval, ready to print; without an interval these are ``None``."""

    estimate: str
    low: str | None = None
    high: str | None = None


def is_factor(ratio: float) -> bool:
    """Whether a ratio that stands alone is written as a factor (``2.4x``) and not as a change in percent."""
    return ratio >= _FACTOR_FROM


def column_has_factors(ratios: Iterable[tuple[float, float | None]]) -> bool:
    """Whether ratios that stand in one column are written as factors: of (estimate, upper end), one has to be."""
    return any(is_factor(estimate) or (high is not None and high >= _PERCENT_UP_TO) for estimate, high in ratios)


def texts_of(
    estimate: float,
    low: float | None,
    high: float | None,
    *,
    ratio: bool,
    unit: str = "",
    factors: bool | None = None,
) -> Texts:
    """The estimate and its interval, all three on one scale.

    Ratios are factors where the estimate is 2 or more (``2.4x``, ``1.4x to 4.1x``) or the interval reaches beyond
    +1,000 % (``1.5x``, ``0.99x to 264x``), else percent (``+50 %``, ``−1 % to +120 %``). ``factors``: what the column
    has in which they stand (:func:`column_has_factors`). Differences have no scale to choose, but for bytes: the
    greatest of the three does (``−0.3 GiB``, ``−248 GiB to +248 GiB``). All three have as many more decimals as it
    takes to tell the interval's ends apart, but changes of less than a percent no more than two digits that count.
    """
    if not ratio:
        return _apart(_difference(estimate, low, high, unit), estimate, low, high)
    alone = column_has_factors([(estimate, high)])
    if alone if factors is None else factors:
        return _apart(factor, estimate, low, high, fewest=0 if alone else 1)
    return _apart(percent, estimate, low, high, most=_most_more(low, high))


def _apart(
    text: Callable[[float, int], str],
    estimate: float,
    low: float | None,
    high: float | None,
    *,
    fewest: int = 0,
    most: int = _MOST_MORE,
) -> Texts:
    if low is None or high is None:
        return Texts(text(estimate, fewest))
    more = next((more for more in range(fewest, most) if text(low, more) != text(high, more)), most)
    return Texts(text(estimate, more), text(low, more), text(high, more))


def _difference(estimate: float, low: float | None, high: float | None, unit: str) -> Callable[[float, int], str]:
    if unit != "bytes":
        return difference
    return partial(
        bytes_apart, power=power_of_bytes(max(abs(value) for value in (estimate, low, high) if value is not None))
    )


def _most_more(low: float | None, high: float | None) -> int:
    """Decimals besides the usual one that give the greater of two changes two digits that count."""
    change = max((abs(end - 1) for end in (low, high) if end is not None), default=1.0)
    if not 0 < change < 0.01:
        return _MOST_MORE
    return min(_MOST_MORE, -math.floor(math.log10(100 * change)))


def change(ratio: float) -> str:
    """``2.4x`` or ``+12 %``."""
    return factor(ratio) if is_factor(ratio) else percent(ratio)


def factor(ratio: float, more: int = 0) -> str:
    """``1,900x``, ``346x``, ``9.1x``, ``0.034x``, with ``more`` digits: from 1,000 on, two digits say how much."""
    if ratio >= _ROUND_FROM:
        return f"{float(f'{ratio:.{2 + more}g}'):,.0f}x"
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


def power_of_bytes(size: float) -> int:
    """The greatest power of 1,024 that is not above ``size``."""
    return max((power for power in range(len(_BINARY)) if size >= 1024**power), default=0)


def decimals(value: float) -> int:
    """How many decimals a difference or a mean is written with."""
    return 2 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
