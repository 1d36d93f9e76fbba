"""Numbers in the messages of checks."""

from decimal import Decimal


def figure(value: float, significant: int = 2) -> str:
    """Rounded, and never as a power of ten: ``0.034``, ``3.3``, ``100``, ``1,600``."""
    return f"{Decimal(f'{value:.{significant}g}'):,f}"
