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
from ngxlab_contracts.fields import SEED, field

Size = Annotated[int, Field(ge=0, le=1 << 30)]


class UniformSizes(ExactMessage):
    """All sizes between two are equally frequent."""

    kind: Annotated[Literal["uniform"], field("uniform: all sizes between two are equally frequent")] = "uniform"
    min_bytes: Annotated[Size, field("the smallest size", label="Smallest", unit="B")]
    max_bytes: Annotated[Size, field("the largest", label="Largest", unit="B")]

    def at(self, quantile: float) -> int:
        return self.min_bytes + round(quantile * max(0, self.max_bytes - self.min_bytes))


class LogNormalSizes(ExactMessage):
    """Many small files and few large ones, as on most sites. ``sigma``: of the size's natural logarithm."""

    kind: Annotated[Literal["lognormal"], field("lognormal: many small files and few large ones")] = "lognormal"
    median_bytes: Annotated[int, field("half of the files are smaller", ge=1, le=1 << 30, label="Median", unit="B")]
    sigma: Annotated[
        float,
        field(
            "standard deviation of the size's natural logarithm; 1 is typical of web sites", gt=0, le=4, label="Sigma"
        ),
    ]
    max_bytes: Annotated[Size, field("no file is larger", label="Largest", unit="B")]

    def at(self, quantile: float) -> int:
        grown = math.exp(self.sigma * _NORMAL.inv_cdf(quantile))
        return min(self.max_bytes, round(self.median_bytes * grown))


class WeightedSize(ExactMessage):
    size_bytes: Annotated[Size, field("the size", label="Size", unit="B")]
    weight: Annotated[float, field("how frequent it is, relative to the others", gt=0, le=1e6, label="Weight")] = 1


class ListedSizes(ExactMessage):
    """Some sizes, each as frequent as its weight says."""

    kind: Annotated[Literal["list"], field("list: some sizes")] = "list"
    sizes: Annotated[list[WeightedSize], field("the sizes and how frequent they are", min_length=1, max_length=50)]

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

    folder: Annotated[
        str,
        field(
            "where the files are: folder/0, folder/1, …",
            pattern=r"^[a-z0-9][a-z0-9_-]*$",
            max_length=60,
            label="Folder",
            code="line",
        ),
    ]
    count: Annotated[int, field("how many files", ge=1, le=100_000, label=("Files", "number"))]
    size_bytes: Annotated[Size | None, field("size of each file; or give sizes", label="Size of each", unit="B")] = None
    sizes: Annotated[Sizes | None, field("how the sizes of the files are distributed")] = None
    content: Annotated[
        Literal["random", "text", "json", "html"],
        field(
            "what is in them: random (cannot be compressed), text, json or html",
            label="Content",
            choices={
                "random": "random bytes",
                "text": ("text", "content of files"),
                "json": ("JSON",),
                "html": ("HTML",),
            },
        ),
    ] = "random"
    compression_ratio: Annotated[
        float | None,
        field(
            "what gzip makes of text, roughly: 4 means a quarter of the size; without it, about 2.8",
            ge=1.4,
            le=10,
            label="gzip ratio",
        ),
    ] = None
    seed: Annotated[Whole, field(SEED, label="Seed")] = 1
    cold: Annotated[bool, field("every read of them comes from the disk", label=("Cold", "files"))] = False

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
