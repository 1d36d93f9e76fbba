"""Evidence made from plain figures, so that each test knows what a template has to say."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import (
    ArmInfo,
    Balance,
    CheckResult,
    CheckSeverity,
    LatencySummary,
    MetricGroup,
    PlanFacts,
    StreamSummary,
    TrialSummary,
    WorkerSummary,
)
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.findings import findings
from ngxlab.templates.primary import primary_metrics
from ngxlab.templates.registry import template

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
    definition: Definition,
    figures: Figures,
    *,
    noise: Sequence[float] = NOISE,
    checks: Sequence[CheckResult] = (),
    scatter: float = 0.0004,
) -> Evidence:
    """A finished run of ``definition``: a block for each of ``noise``, which multiplies the rates in it."""
    trials = []
    for block, factor in enumerate(noise, start=1):
        for number, arm in enumerate(definition.arms):
            own = _scattered(dict(figures(arm)), 1 + scatter * (number + 1) * {1: 1, 2: -1}.get(block, 0))
            if own.get("requests_per_s") is not None:
                own["requests_per_s"] *= factor
            trials.append(trial(arm.key, block, **own))
    return analysed(definition, trials, checks)


def analysed(definition: Definition, trials: Sequence[TrialSummary], checks: Sequence[CheckResult] = ()) -> Evidence:
    arms = [ArmInfo(key=arm.key, label=arm.label, levels=arm.levels) for arm in definition.arms]
    blocks = max((one.block for one in trials), default=0)
    plan = PlanFacts(blocks=blocks, measure_s=10, warmup_s=1, trials_planned=len(trials))
    primary = primary_metrics(definition)
    analysis = analyse_run(arms, definition.baseline, [(one, list(checks)) for one in trials], plan, primary=primary)
    return Evidence(definition, analysis, trials)


def _scattered(own: dict[str, Any], factor: float) -> dict[str, Any]:
    """A little apart from the figures asked for: pairs that agree exactly have no interval."""

    if own.get("requests_per_s") is not None:
        own["requests_per_s"] *= factor
    if "latency" in own:
        own["latency"] = _times(own["latency"], factor)
    balance: Balance | None = own.get("balance")
    if balance is not None and balance.cpu_cv is not None:
        own["balance"] = balance.model_copy(update={"cpu_cv": balance.cpu_cv * factor})
    if "metric_values" in own:
        own["metric_values"] = {key: value * factor for key, value in own["metric_values"].items()}
    if "streams" in own:
        own["streams"] = [
            one.model_copy(
                update={"requests_per_s": one.requests_per_s * factor, "latency": _times(one.latency, factor)}
            )
            for one in own["streams"]
        ]
    return own


def _times(value: LatencySummary | None, factor: float) -> LatencySummary | None:
    if value is None:
        return None
    names = ("mean_us", "stdev_us", "p50_us", "p90_us", "p99_us", "max_us")
    return value.model_copy(update={name: getattr(value, name) * factor for name in names})


def check(key: str, severity: CheckSeverity = "warning", voids: Sequence[MetricGroup] = ()) -> CheckResult:
    """A rule that ended badly."""
    facts = {"number": 0, "key": key, "severity": severity, "title": key, "message": key, "remedy": "fix it"}
    return CheckResult.model_validate(facts | {"trial_ids": [], "voids": list(voids)})


def varying(found: Evidence, values: Sequence[float], *names: str) -> Evidence:
    """The same run with its rates, latencies and ``names`` (of ``metric_values``) multiplied by ``values`` in turn."""
    trials = []
    for number, one in enumerate(found.trials):
        factor = values[number % len(values)]
        own = {key: value * (factor if key in names else 1) for key, value in one.metric_values.items()}
        streams = [
            part.model_copy(
                update={"requests_per_s": (part.requests_per_s or 0) * factor, "latency": _times(part.latency, factor)}
            )
            for part in one.streams
        ]
        rate = one.requests_per_s * factor if one.requests_per_s is not None else None
        changes = {"requests_per_s": rate, "latency": _times(one.latency, factor), "metric_values": own}
        trials.append(one.model_copy(update=changes | {"streams": streams}))
    return analysed(found.definition, trials)


def voided(found: Evidence, *groups: MetricGroup) -> Evidence:
    """The same run with an error that voids claims on ``groups``; on everything, without any."""
    return analysed(found.definition, found.trials, [check("broken", "error", groups)])


def first_block(found: Evidence) -> Evidence:
    return analysed(found.definition, [one for one in found.trials if one.block == 1])


def conclusion(found: Evidence) -> str:
    """What a report says under its headline."""
    origin = found.definition.template
    assert origin is not None
    return "\n".join(findings(template(origin.key), found).conclusion)
