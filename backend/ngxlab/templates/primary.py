"""The primary metrics of a definition: those on which claims are made, in order (docs/method-details.md, Headline)."""

from collections.abc import Sequence

from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.verdict.stream_comparison import stream_metrics
from ngxlab.definition.preview.schemas import MetricChoice, PrimaryPreview
from ngxlab.definition.primary import differing, of_load, proposed
from ngxlab.definition.schema.definition import Definition
from ngxlab.templates.registry import templates


def primary_metrics(definition: Definition) -> Sequence[str]:
    """Those that the plan names, else the defaults."""
    return definition.plan.primary or default_metrics(definition)


def default_metrics(definition: Definition) -> Sequence[str]:
    """Those of the template, else those of the load."""
    origin = templates().get(definition.template.key) if definition.template is not None else None
    if origin is not None and origin.primary:
        return origin.primary
    return of_load(definition.streams)


def primary_preview(definition: Definition, configs: Sequence[str]) -> PrimaryPreview:
    """What may be chosen, and what counts without a choice. Several streams have metrics of their own. ``configs``:
    of the arms."""
    choices = [MetricChoice(name=one.name, title=one.info.title) for one in METRICS]
    if len(definition.streams) > 1:
        choices += [
            MetricChoice(name=one.name, title=f"{one.info.title}, stream {stream.key}")
            for stream in definition.streams
            for one in stream_metrics(stream.key)
        ]
    defaults, directives = list(default_metrics(definition)), differing(configs)
    return PrimaryPreview(
        metrics=choices,
        defaults=defaults,
        differing=list(dict.fromkeys(one.partition(" ")[0] for one in directives)),
        proposed=proposed(directives, defaults),
    )
