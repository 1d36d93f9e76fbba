"""The primary metrics of a definition: those on which claims are made, in order (docs/method-details.md, Headline)."""

from collections.abc import Sequence

from ngxlab_contracts.engines import ENGINES

from ngxlab.analysis.metrics import CAPACITY, METRICS, PLATEAU
from ngxlab.analysis.verdict.claims import default_primary
from ngxlab.analysis.verdict.stream_comparison import stream_metrics
from ngxlab.definition.preview.schemas import MetricChoice, PrimaryPreview
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.streams import Stream
from ngxlab.templates.registry import templates


def primary_metrics(definition: Definition) -> Sequence[str]:
    """Those that the plan names, else the defaults."""
    return definition.plan.primary or default_metrics(definition)


def default_metrics(definition: Definition) -> Sequence[str]:
    """Those of the template, else those of the load."""
    origin = templates().get(definition.template.key) if definition.template is not None else None
    if origin is not None and origin.primary:
        return origin.primary
    streams = [stream for stream in definition.streams if not stream.probe]
    return default_primary([ENGINES[stream.engine].loop for stream in streams], steered=_steered(streams))


def _steered(streams: Sequence[Stream]) -> str | None:
    if any(stream.capacity is not None for stream in streams):
        return CAPACITY
    return PLATEAU if any(stream.curve is not None for stream in streams) else None


def primary_preview(definition: Definition) -> PrimaryPreview:
    """What may be chosen, and what counts without a choice. Several streams have metrics of their own."""
    choices = [MetricChoice(name=one.name, title=one.info.title) for one in METRICS]
    if len(definition.streams) > 1:
        choices += [
            MetricChoice(name=one.name, title=f"{one.info.title}, stream {stream.key}")
            for stream in definition.streams
            for one in stream_metrics(stream.key)
        ]
    return PrimaryPreview(metrics=choices, defaults=list(default_metrics(definition)))
