"""Files that are made for a trial: how many, how large, and what is in them."""

import math
import random
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from statistics import NormalDist
from typing import Annotated, Literal

from pydantic import Field

from ngxlab_contracts.base import ExactMessage, Whole
from ngxlab_contracts.protocol import since

Size = Annotated[int, Field(ge=0, le=1 << 30)]


class UniformSizes(ExactMessage):
    """All sizes between two are equally frequent."""

    kind: Literal["uniform"] = "uniform"
    min_bytes: Size
    max_bytes: Size

    def at(self, quantile: float) -> int:
        return self.min_bytes + round(quantile * max(0, self.max_bytes - self.min_bytes))


class LogNormalSizes(ExactMessage):
    """Many small files and few large ones, as on most sites. ``sigma``: of the size's natural logarithm."""

    kind: Literal["lognormal"] = "lognormal"
    median_bytes: Annotated[int, Field(ge=1, le=1 << 30)]
    sigma: Annotated[float, Field(gt=0, le=4)]
    max_bytes: Size

    def at(self, quantile: float) -> int:
        grown = math.exp(self.sigma * _NORMAL.inv_cdf(quantile))
        return min(self.max_bytes, round(self.median_bytes * grown))


class WeightedSize(ExactMessage):
    size_bytes: Size
    weight: Annotated[float, Field(gt=0, le=1e6)] = 1


class ListedSizes(ExactMessage):
    """Some sizes, each as frequent as its weight says."""

    kind: Literal["list"] = "list"
    sizes: Annotated[list[WeightedSize], Field(min_length=1, max_length=50)]

    def at(self, quantile: float) -> int:
        ends = list(accumulate(one.weight for one in self.sizes))
        place = bisect_right(ends, quantile * ends[-1])
        return self.sizes[min(place, len(self.sizes) - 1)].size_bytes


Sizes = Annotated[UniformSizes | LogNormalSizes | ListedSizes, Field(discriminator="kind")]
_NORMAL = NormalDist()


class FileSet(ExactMessage):
    """Files created for the trial below its document root: ``folder/0`` to ``folder/count-1``, content from ``seed``.

    All have ``size_bytes``, or their sizes follow ``sizes``. ``content``: bytes that cannot be compressed, text, JSON
    or HTML; ``compression_ratio``: what gzip makes of text. ``cold``: every read of them must come from the disk, see
    :class:`ngxlab_contracts.trials.ColdFiles`.
    """

    folder: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]
    count: Annotated[int, Field(ge=1, le=100_000)]
    size_bytes: Size | None = None
    sizes: Annotated[Sizes | None, Field(json_schema_extra=since(3))] = None
    content: Annotated[Literal["random", "text", "json", "html"], Field(json_schema_extra=since(3))] = "random"
    compression_ratio: Annotated[float | None, Field(ge=1.4, le=10, json_schema_extra=since(3))] = None
    seed: Whole = 1
    cold: bool = False

    @property
    def each_bytes(self) -> list[int]:
        """The size of every file, in their order. It follows from the set alone, on every host alike."""
        return list(_each(self.model_dump_json()))

    @property
    def total_bytes(self) -> int:
        return self.count * (self.size_bytes or 0) if self.sizes is None else sum(_each(self.model_dump_json()))


@lru_cache(maxsize=64)
def _each(text: str) -> tuple[int, ...]:
    """Quantiles at even distances, in random order: a small set has the distribution's shape too."""
    files = FileSet.model_validate_json(text)
    if files.sizes is None:
        return (files.size_bytes or 0,) * files.count
    sizes = [files.sizes.at((place + 0.5) / files.count) for place in range(files.count)]
    random.Random(files.seed).shuffle(sizes)  # noqa: S311 — no secret
    return tuple(sizes)
