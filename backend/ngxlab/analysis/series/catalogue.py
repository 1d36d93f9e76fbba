"""All derived series: every :class:`Series` that a file of ``derivations`` declares. No line has a key of another."""

from collections.abc import Collection, Iterator

from ngxlab_contracts.telemetry import Layout

from ngxlab.analysis.series import derivations
from ngxlab.analysis.series.derivations.declaration import Series
from ngxlab.analysis.series.derivations.step import Derivation, LayoutView, Memory, Step
from ngxlab.analysis.series.schemas import SeriesInfo
from ngxlab.core.discovery import values_in


def _declared() -> Iterator[Series]:
    for value in values_in(derivations):
        yield from (one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, Series))


_SERIES = sorted(_declared(), key=lambda one: one.info.order)
CATALOGUE: tuple[SeriesInfo, ...] = tuple(
    one.info.model_copy(update={"order": order}) for order, one in enumerate(_SERIES)
)
UNIT_BY_KEY: dict[str, str] = {info.key: info.unit for info in CATALOGUE}
OF_STREAMS = frozenset(one.info.key for one in _SERIES if one.of_streams)
DERIVATIONS: tuple[tuple[str, str, Derivation], ...] = tuple(
    (name, one.info.key, one.derive) for one in _SERIES if one.derive is not None for name in one.reads
)
"""Raw series, key of the lines, derivation. A derivation whose raw series is in a layout runs on each frame of it."""


def derivations_for(view: LayoutView, keys: Collection[str] | None = None) -> list[Derivation]:
    """In the catalogue's order, each at most once; only those that yield one of ``keys``, if given."""
    wanted = (derive for name, key, derive in DERIVATIONS if name in view.columns and (keys is None or key in keys))
    return list(dict.fromkeys(wanted))


def columns_for(layout: Layout, keys: Collection[str] | None) -> list[int]:
    """Positions of the columns of a layout that lines of ``keys`` are made of, found by making them of zeros."""
    view, zeros = LayoutView(layout), [0.0] * len(layout.series)
    step = Step(view, t_us=0, dt_s=1.0, values=zeros, before=zeros, memory=Memory())
    for derive in derivations_for(view, keys):
        for _ in derive(step):
            pass
    return view.asked_for()
