"""Numbers of a comparison as text (docs/method.md, Numbers)."""

_FACTOR_FROM = 2.0
_MINUS = "\N{MINUS SIGN}"


def estimate_texts(estimate: float, low: float | None, high: float | None, *, ratio: bool) -> tuple[str, str | None]:
    """The estimate and its 95 % interval, ready to print; ``None`` without an interval.

    The estimate chooses one scale for all three numbers: factors from 2 on (``2.4x``, ``1.4x to 4.1x``), else percent
    (``+50 %``, ``−1 % to +120 %``). Differences have no scale to choose.
    """
    text = difference if not ratio else factor if is_factor(estimate) else percent
    return text(estimate), f"{text(low)} to {text(high)}" if low is not None and high is not None else None


def is_factor(ratio: float) -> bool:
    """Whether a ratio is written as a factor (``2.4x``) and not as a change in percent."""
    return ratio >= _FACTOR_FROM


def change(ratio: float) -> str:
    """``2.4x`` or ``+12 %``."""
    return factor(ratio) if is_factor(ratio) else percent(ratio)


def factor(ratio: float) -> str:
    """``346x``, ``9.1x``, ``0.034x``."""
    if ratio >= 100:
        return f"{ratio:,.0f}x"
    return f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2g}x"


def percent(ratio: float) -> str:
    """``+12 %``, ``−1.8 %``; a decimal only below 10 %."""
    size = size_in_percent(ratio)
    return size if size == "0 %" else f"{'+' if ratio > 1 else _MINUS}{size}"


def size_in_percent(ratio: float) -> str:
    """The change without its sign: ``12 %``, ``1.8 %``, ``0 %``."""
    size = 100 * abs(ratio - 1)
    return f"{size:,.0f} %" if size >= 10 else f"{size:.1f}".removesuffix(".0") + " %"


def difference(value: float) -> str:
    """``−0.12``, ``+27.9``, ``−102,887``."""
    return f"{value:+,.{decimals(value)}f}".replace("-", _MINUS)


def decimals(value: float) -> int:
    """How many decimals a difference or a mean is written with."""
    return 2 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
