"""The declaration of a derived series: what its chart says, and the raw series and the function that it is made of."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ngxlab.analysis.series.derivations.step import Derivation
from ngxlab.analysis.series.schemas import SeriesInfo

_DECLARED: dict[str, dict[str, Any]] = {}
for _path in Path(__file__).parent.glob("*.toml"):
    _DECLARED |= tomllib.loads(_path.read_text(encoding="utf-8"))


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


def series(key: str, *reads: str) -> Series:
    """Declare a series. What its chart says is in the TOML file beside its module; :class:`SeriesInfo` describes it.
    Charts stand by their ``order``, which leaves room between any two."""
    info = {"direction": "neutral", "stacked": False, **_DECLARED[key], "key": key}
    of_streams = bool(info.pop("of_streams", False))
    return Series(SeriesInfo.model_validate(info), reads, of_streams)
