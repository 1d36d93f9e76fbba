"""Write a number with its unit: ``226 ms``, ``9.5 Gbit/s``, ``102,887 bytes``, ``8.1 requests/s``."""

_DECIMAL_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_PREFIXED = {"bit/s": "bit/s", "bits/s": "bit/s", "bytes/s": "B/s"}
_MANY_BYTES = 1_000_000
_MINUS = "\N{MINUS SIGN}"


def said(value: float, unit: str) -> str:
    """Three significant digits; microseconds as µs, ms or s, bits and bytes a second with k, M, G."""
    if unit == "us":
        return _duration(value / 1e6)
    if unit == "ms":
        return _duration(value / 1e3)
    if unit == "s":
        return _duration(value)
    if unit in _PREFIXED or (unit == "bytes" and abs(value) >= _MANY_BYTES):
        name = _PREFIXED.get(unit, "B")
        for size, prefix in _DECIMAL_PREFIXES:
            if abs(value) >= size:
                return f"{digits(value / size)} {prefix}{name}"
        return f"{digits(value)} {name}"
    if unit == "CV":
        return f"{value:.2f}"
    return f"{digits(value)} {unit}".rstrip()


def digits(value: float) -> str:
    """``250.57`` -> ``251``, ``8.08`` -> ``8.1``, ``0.034`` -> ``0.034``, ``102887`` -> ``102,887``."""
    return _significant(value).replace("-", _MINUS)


def _significant(value: float) -> str:
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 1:
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.2g}"


def _duration(seconds: float) -> str:
    size = abs(seconds)
    if size >= 1:
        return f"{seconds:.2f} s".replace("-", _MINUS)
    if size >= 1e-3:
        return f"{digits(seconds * 1e3)} ms"
    return f"{digits(seconds * 1e6)} µs"
