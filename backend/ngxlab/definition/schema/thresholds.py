"""What makes a run pass or fail, as fields or as a line of text; :mod:`ngxlab.analysis.thresholds` reads the text."""

from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from pydantic import Discriminator, Field, Tag

from ngxlab.definition.schema.base import DefinitionModel
from ngxlab.definition.schema.factors import ArmKey

_OF_LATENCY = "latency_ms"


class Threshold(DefinitionModel):
    """``metric`` must ``compare`` with ``value`` in every arm, or in ``arm`` alone.

    ``statistic``: of ``latency_ms``, and of nothing else. ``ratio``: the arm's value divided by the baseline's.
    """

    metric: Annotated[
        Literal["requests_per_s", "latency_ms", "errors_percent", "cpu_cv", "connections_cv", "cpu_s_per_1000"],
        field("what must stay within the bound"),
    ]
    statistic: Annotated[
        Literal["p50", "p90", "p99", "p999", "mean", "stdev", "max"] | None,
        field("of latency_ms: a percentile, or another"),
    ] = None
    ratio: Annotated[bool, field("the arm's value divided by the baseline's instead of the value itself")] = False
    compare: Annotated[Literal["<", "<=", ">", ">="], field("how the metric must compare with the value")]
    value: Annotated[float, field("the bound", allow_inf_nan=False)]
    arm: Annotated[
        ArmKey | None,
        field("key of the only arm that must meet it; without one every arm, with ratio every arm but the baseline"),
    ] = None

    @property
    def problem(self) -> tuple[str, str] | None:
        """The field that does not fit the others, and why."""
        if self.metric == _OF_LATENCY and self.statistic is None:
            return "statistic", "is missing: latency_ms needs one, such as p99"
        if self.metric != _OF_LATENCY and self.statistic is not None:
            return "statistic", f"is for latency_ms only; {self.metric} has none"
        return None

    @property
    def text(self) -> str:
        """The same as a line, such as ``p99_ms ratio < 1.1 for reuseport``."""
        metric = self.metric if self.statistic is None else f"{self.statistic}_ms"
        words = [metric, *(["ratio"] if self.ratio else []), self.compare, f"{self.value:.15g}"]
        return " ".join([*words, *(["for", self.arm] if self.arm is not None else [])])


def _form(value: object) -> str:
    return "text" if isinstance(value, str) else "fields"


ThresholdText = Annotated[str, Field(max_length=200)]
ThresholdEntry = Annotated[
    Annotated[Threshold, Tag("fields")] | Annotated[ThresholdText, Tag("text")], Discriminator(_form)
]


def text_of(entry: Threshold | str) -> str:
    """The line that an entry is, or stands for."""
    return entry if isinstance(entry, str) else entry.text
