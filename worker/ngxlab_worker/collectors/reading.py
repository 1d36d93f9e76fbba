"""A collector's reading: named columns and their values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Literal, NamedTuple, ParamSpec, Protocol, TypeVar

from ngxlab_contracts.telemetry import SeriesDef

Kind = Literal["counter", "gauge"]
Key = tuple[str, ...]
"""A series: its name, then its label values in the order its :class:`Metric` declares them."""
Values = dict[Key, float | None]
"""Raw values by series; ``None`` where this kernel has none."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


class ParseError(Exception):
    """A source has content that its parser does not expect. The message is stable, so that it is noted once."""


def parser(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make :class:`ParseError` the only exception a parse function raises, whatever bytes it is given."""

    @wraps(function)
    def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except (ValueError, IndexError, KeyError, OverflowError) as error:
            message = f"{function.__module__}.{function.__name__}: unexpected content ({type(error).__name__})"
            raise ParseError(message) from error

    return guarded


class Metric(NamedTuple):
    name: str
    unit: str
    kind: Kind
    labels: tuple[str, ...] = ()

    def series(self, label_values: Sequence[str]) -> SeriesDef:
        labels = dict(zip(self.labels, label_values, strict=True))
        return SeriesDef(name=self.name, labels=labels, unit=self.unit, kind=self.kind)


def counter(name: str, unit: str, *labels: str) -> Metric:
    """A value that only grows until its owner restarts, as far as the kernel guarantees it."""
    return Metric(name, unit, "counter", labels)


def gauge(name: str, unit: str, *labels: str) -> Metric:
    return Metric(name, unit, "gauge", labels)


class Notice(NamedTuple):
    """Something that a collector could not read, while it goes on. Each distinct text is reported once."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Reading:
    """Values in the order of ``columns``. The same ``columns`` object as before means the same columns."""

    columns: Sequence[SeriesDef]
    values: list[float | None]
    notices: Sequence[Notice] = ()


class Collector(Protocol):
    """``read`` raises ``OSError`` or :class:`ParseError`, and may be called again after either."""

    name: str

    def read(self) -> Reading: ...

    def close(self) -> None: ...


class Table:
    """Turns values by key into a :class:`Reading`; the columns are built again only when the keys have changed."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = {metric.name: metric for metric in metrics}
        self._keys: list[Key] = []
        self._columns: tuple[SeriesDef, ...] = ()

    def reading(self, values: Mapping[Key, float | None]) -> Reading:
        keys = list(values)
        if keys != self._keys:
            self._columns = tuple(self._metrics[name].series(labels) for name, *labels in keys)
            self._keys = keys
        return Reading(self._columns, list(values.values()))
