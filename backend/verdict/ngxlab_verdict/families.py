"""The division of the error of 5 % among the primary metrics (docs/method.md, Families)."""

ERROR = 0.05

_KEPT = 0.02
"""The part of the error that later metrics have."""


class Shares:
    """The error that each metric's claims may use, in order (a fallback procedure).

    The first metric gets nearly all. When every arm is decided in a metric, its whole error passes to the next one;
    else the next has its own small share only, so that a great effect is claimed even then. Without an order all
    metrics get the same share, and nothing is passed on.

    Source: B. L. Wiens, A fixed sequence Bonferroni procedure for testing multiple endpoints, Pharmaceutical
    Statistics 2, 2003.
    """

    def __init__(self, metrics: int, *, ordered: bool, error: float = ERROR) -> None:
        self._ordered = ordered
        if ordered and metrics > 1:
            self._own = [error * (1 - _KEPT)] + [error * _KEPT / (metrics - 1)] * (metrics - 1)
        else:
            self._own = [error / max(metrics, 1)] * metrics
        self._passed_on = 0.0
        self._given = 0.0

    def next(self) -> float:
        self._given = self._own.pop(0) + self._passed_on
        return self._given

    def tell(self, *, complete: bool) -> None:
        """``complete``: every arm was decided in the metric whose share was given last."""
        self._passed_on = self._given if complete and self._ordered else 0.0
