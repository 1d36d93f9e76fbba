"""The declaration of a derived series: what its chart says, and the raw series and the function that it is made of."""

from dataclasses import dataclass, replace

from ngxlab.analysis.series.derivations.step import Derivation
from ngxlab.analysis.series.schemas import Direction, SeriesInfo


@dataclass(frozen=True)
class Series:
    """``reads``: a layout with one of these raw series has the function run on each of its frames.

    ``of_streams``: its lines are labelled by stream, whose keys are unique over all hosts of a trial.
    """

    info: SeriesInfo
    reads: tuple[str, ...] = ()
    of_streams: bool = False
    derive: Derivation | None = None

    def __call__(self, derive: Derivation) -> "Series":
        """Decorate the function that gives the lines."""
        return replace(self, derive=derive)


def series(
    key: str,
    *,
    order: int,
    title: str,
    unit: str,
    description: str,
    reads: tuple[str, ...] = (),
    direction: Direction = "neutral",
    stacked: bool = False,
    y_max: float | None = None,
    of_streams: bool = False,
) -> Series:
    """Declare a series. Charts stand by their ``order``, which leaves room between any two; :class:`SeriesInfo`
    describes the rest."""
    info = SeriesInfo(
        key=key,
        title=title,
        unit=unit,
        description=description,
        direction=direction,
        stacked=stacked,
        y_max=y_max,
        order=order,
    )
    return Series(info, reads, of_streams)
