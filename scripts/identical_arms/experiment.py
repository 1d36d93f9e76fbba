"""One experiment of identical arms, run through the product, and what its report claims."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import yaml
from ngxlab_verdict import Experiment, MetricRule, Question, judge

from scripts.testbed.stack import Stack

PRIMARY = ("requests_per_s", "latency_p99_us")
RULES = {"requests_per_s": MetricRule("more_is_better"), "latency_p99_us": MetricRule("less_is_better")}
CLAIMS = {"better", "worse", "higher", "lower"}
END_PATIENCE_S = 900


class Size(NamedTuple):
    """``measure_s``: of a trial's window; it has to hold the 1,000 responses that a p99 needs."""

    arms: int
    blocks: int
    measure_s: float


def definition(size: Size) -> str:
    """A YAML document whose arms differ by name alone."""
    names = [f"same-{number}" for number in range(1, size.arms + 1)]
    levels = [{"key": name, "label": name, "variables": {"name": name}} for name in names]
    return yaml.safe_dump(
        {
            "schema_version": 1,
            "name": f"{size.arms} identical arms",
            "question": "Does a report claim a difference where there is none?",
            "factors": [{"key": "name", "label": "Name", "levels": levels}],
            "baseline": names[0],
            "nginx": {
                "workers": 1,
                "worker_connections": 1024,
                "server": 'keepalive_requests 1000000000;\nlocation / {\n    return 200 "OK";\n}\n',
            },
            "streams": [{"key": "clients", "engine": "wrk", "threads": 1, "connections": 16}],
            "plan": {
                "blocks": size.blocks,
                "warmup_s": 0.3,
                "measure_s": size.measure_s,
                "cooldown_s": 0,
                "primary": list(PRIMARY),
            },
        },
        sort_keys=False,
    )


def run_once(stack: Stack, experiment_id: str, size: Size) -> dict[str, Any]:
    """Run it and wait for the end. What :mod:`scripts.identical_arms.tally` counts, as one JSON document."""
    run = stack.api("POST", f"/experiments/{experiment_id}/runs", {"host_id": stack.host_id()})
    ended = stack.wait_for_end(run["id"], END_PATIENCE_S)
    analysis = stack.api("GET", f"/runs/{run['id']}/report")["analysis"]
    errors = [check["key"] for check in analysis["checks"]["results"] if check["severity"] == "error"]
    values = measured(analysis)
    return {
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "arms": size.arms,
        "blocks": size.blocks,
        "seed": run["seed"],
        "state": ended["state"],
        "errors": errors,
        "reported": sorted(verdicts(analysis) & CLAIMS),
        "judged": sorted(_judged(values) & CLAIMS) if values else None,
        "values": values,
    }


def verdicts(analysis: dict[str, Any]) -> set[str]:
    """The words of the report's claims on primary metrics; "not valid" where a check voids them."""
    compared = [metric["comparison"] for arm in analysis["arms"] for metric in arm["metrics"] if metric["comparison"]]
    return {comparison["verdict"] for comparison in compared if comparison["family"] == "primary"}


def measured(analysis: dict[str, Any]) -> dict[str, list[list[float]]]:
    """The primary metrics' values by arm and block; empty where a trial was lost."""
    values: dict[str, list[list[float]]] = {}
    for key in PRIMARY:
        cells = [metric["values"] for arm in analysis["arms"] for metric in arm["metrics"] if metric["metric"] == key]
        values[key] = [[cell["value"] for cell in sorted(arm, key=lambda cell: cell["block"])] for arm in cells]
    sizes = {len(arm) for arms in values.values() for arm in arms}
    return values if len(sizes) == 1 and sizes != {0} else {}


def _judged(values: dict[str, list[list[float]]]) -> set[str]:
    """The words without the checks: an error would hide a false claim."""
    experiment = Experiment(
        arms=[str(arm) for arm in range(len(values[PRIMARY[0]]))],
        metrics=PRIMARY,
        values=np.array([values[key] for key in PRIMARY]),
    )
    return {claim.verdict for claim in judge(experiment, Question(primary=PRIMARY, rules=RULES))}
