"""k6: the file of --summary-export, or what handleSummary is given, as JSON (grafana.com/docs/k6, results output)."""

import re
from typing import Any

from ngxlab_cli.results.measured import ERRORS, MEAN, REQUESTS, Measured, NotItsResult, document_of, number, percentile

_PERCENTILE = re.compile(r"p\(([\d.]+)\)")
_UNKNOWN_LOOP = (
    "Whether the load waited for answers before it asked again: the summary does not say which executor ran. If it "
    "did, latencies can be compared only where the arms' rates are alike."
)


def k6(text: str) -> Measured:
    """Raises ``NotItsResult``."""
    metrics = document_of(text).get("metrics")
    if not isinstance(metrics, dict):
        raise NotItsResult("it has no metrics: k6 writes it by --summary-export, or from handleSummary")
    latency, failed = _values(metrics, "http_req_duration"), _values(metrics, "http_req_failed")
    values = {REQUESTS: number(_values(metrics, "http_reqs"), "rate"), MEAN: number(latency, "avg")}
    found = {float(name[1]): value for key, value in latency.items() if (name := _PERCENTILE.fullmatch(key))}
    if "med" in latency:
        found[50.0] = latency["med"]
    values |= {percentile(p): number({"value": found[p]}, "value") for p in sorted(found)}
    values[ERRORS] = 100 * number(failed, "rate" if "rate" in failed else "value")
    lacks = [_UNKNOWN_LOOP]
    if 99.0 not in found:
        lacks.append(
            "The 99th percentile of latency: k6 writes it with --summary-trend-stats 'avg,med,p(95),p(99)' only."
        )
    dropped = metrics.get("dropped_iterations")
    if isinstance(dropped, dict) and (count := number(_values(metrics, "dropped_iterations"), "count")):
        lacks.append(f"Iterations that k6 dropped ({count:,.0f}): they are in no figure.")
    return Measured(values, lacks)


def _values(metrics: dict[str, Any], name: str) -> dict[str, Any]:
    """Of handleSummary they are in ``values``, of --summary-export they are the metric itself."""
    metric = metrics.get(name)
    if not isinstance(metric, dict):
        raise NotItsResult(f"it has no metric {name}")
    values = metric.get("values", metric)
    if not isinstance(values, dict):
        raise NotItsResult(f"its metric {name} has no values")
    return values
