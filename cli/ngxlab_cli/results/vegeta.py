"""vegeta 12: `vegeta report -type json` (github.com/tsenart/vegeta, `lib/metrics.go`). Latencies are in nanoseconds."""

import re

from ngxlab_cli.results.measured import ERRORS, MEAN, REQUESTS, Measured, document_of, instant, number, percentile

_PERCENTILE = re.compile(r"([\d.]+)th")


def vegeta(text: str) -> Measured:
    """Its throughput is of successful requests. Raises ``NotItsResult``."""
    document = document_of(text)
    values = {REQUESTS: number(document, "throughput"), MEAN: number(document, "latencies", "mean") / 1e6}
    names = {name: found for name in document["latencies"] if (found := _PERCENTILE.fullmatch(name))}
    values |= {percentile(float(p[1])): number(document, "latencies", name) / 1e6 for name, p in names.items()}
    values[ERRORS] = 100 * (1 - number(document, "success"))
    return Measured(values, is_open=True, started=instant(document.get("earliest")))
