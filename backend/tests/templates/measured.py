"""Evidence made from plain figures, so that each test knows what a template has to say."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import (
    ArmInfo,
    Balance,
    CheckResult,
    LatencySummary,
    PlanFacts,
    StreamSummary,
    TrialSummary,
    WorkerSummary,
)
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.evidence import Evidence

NAMESPACE = UUID("5dc9b2b5-3a5c-4a0f-9c53-0f6f0f6f0f6f")
NOISE = (0.99, 1.01, 1.0)
"""What each of three blocks multiplies rates by, the same for every arm."""

Figures = Callable[[ArmDefinition], Mapping[str, Any]]
"""An arm's figures: fields of its trials' summaries."""


def latency(p50_ms: float, p99_ms: float, *, stdev_ms: float = 1) -> LatencySummary:
    return LatencySummary(
        count=10_000,
        mean_us=1000 * p50_ms,
        stdev_us=1000 * stdev_ms,
        p50_us=1000 * p50_ms,
        p90_us=1000 * p99_ms,
        p99_us=1000 * p99_ms,
        p999_us=None,
        max_us=2000 * p99_ms,
    )


def stream(key: str, requests_per_s: float, p50_ms: float = 1, p99_ms: float = 2) -> StreamSummary:
    return StreamSummary(
        stream=key,
        requests=round(10 * requests_per_s),
        requests_per_s=requests_per_s,
        latency=latency(p50_ms, p99_ms),
        errors=None,
        accounting=None,
        printed=None,
    )


def shared(cpu_percents: Sequence[float], cv: float) -> dict[str, Any]:
    """How workers share: their CPU in percent of a core, and the CV that goes with it."""
    whole = sum(cpu_percents)
    return {
        "balance": Balance(
            workers=len(cpu_percents),
            cpu_cv=cv,
            cpu_max_over_mean=None,
            connections_cv=cv,
            connections_max_over_mean=None,
        ),
        "workers": [
            WorkerSummary(
                index=index,
                cpu_s=percent / 10,
                cpu_percent=percent,
                cpu_share_percent=100 * percent / whole,
                connections=percent,
            )
            for index, percent in enumerate(cpu_percents, start=1)
        ],
    }


def trial(arm: str, block: int, **figures: Any) -> TrialSummary:
    """A usable trial that knows nothing but what it is given."""
    unknown: dict[str, Any] = dict.fromkeys(
        (
            "unusable_reason", "requests", "requests_per_s", "latency", "latency_histogram", "nginx", "balance",
            "nginx_cpu_s_per_1000_requests", "generator_cpu_s_per_1000_requests", "agent_cpu_percent", "sampling",
        )
    )  # fmt: skip
    fixed = {"position": 1, "attempt": 1, "state": "completed", "usable": True, "window_s": 10.0}
    empty: dict[str, Any] = {name: [] for name in ("streams", "workers", "network", "notes", "access_log")}
    values = unknown | fixed | empty | {"cpu_percent_by_mode": {}, "environment": {}, "rate_source": "histogram"}
    identity = uuid5(NAMESPACE, f"{arm} {block}")
    return TrialSummary(trial_id=identity, arm=arm, block=block, **(values | figures))


def evidence(
    definition: Definition, figures: Figures, *, noise: Sequence[float] = NOISE, checks: Sequence[CheckResult] = ()
) -> Evidence:
    """A finished run of ``definition``: a block for each of ``noise``, which multiplies the rates in it."""
    trials = []
    for block, factor in enumerate(noise, start=1):
        for number, arm in enumerate(definition.arms):
            own = _scattered(dict(figures(arm)), 1 + 0.0004 * (number + 1) * {1: 1, 2: -1}.get(block, 0))
            if own.get("requests_per_s") is not None:
                own["requests_per_s"] *= factor
            trials.append(trial(arm.key, block, **own))
    arms = [ArmInfo(key=arm.key, label=arm.label, levels=arm.levels) for arm in definition.arms]
    plan = PlanFacts(blocks=len(noise), measure_s=10, warmup_s=1, trials_planned=len(trials))
    analysis = analyse_run(arms, definition.baseline, [(one, list(checks)) for one in trials], plan)
    return Evidence(definition, analysis, trials)


def _scattered(own: dict[str, Any], factor: float) -> dict[str, Any]:
    """A little apart from the figures asked for: pairs that agree exactly have no interval."""

    def scaled(value: LatencySummary | None) -> LatencySummary | None:
        if value is None:
            return None
        names = ("mean_us", "stdev_us", "p50_us", "p90_us", "p99_us", "max_us")
        return value.model_copy(update={name: getattr(value, name) * factor for name in names})

    if own.get("requests_per_s") is not None:
        own["requests_per_s"] *= factor
    if "latency" in own:
        own["latency"] = scaled(own["latency"])
    if "metric_values" in own:
        own["metric_values"] = {key: value * factor for key, value in own["metric_values"].items()}
    if "streams" in own:
        own["streams"] = [
            one.model_copy(update={"requests_per_s": one.requests_per_s * factor, "latency": scaled(one.latency)})
            for one in own["streams"]
        ]
    return own


def check(key: str) -> CheckResult:
    """A rule that ended in a warning."""
    return CheckResult(number=0, key=key, severity="warning", title=key, message=key, remedy="fix it", trial_ids=[])
