"""fortio 1: -json (github.com/fortio/fortio, `periodic.RunnerResults`, `fhttp.HTTPRunnerResults`). In seconds."""

from ngxlab_cli.results.measured import (
    CLOSED,
    ERRORS,
    MEAN,
    REQUESTS,
    Measured,
    NotItsResult,
    document_of,
    errors_percent,
    instant,
    number,
    percentile,
)

_BEHIND = 0.99


def fortio(text: str) -> Measured:
    """Raises ``NotItsResult``."""
    document = document_of(text)
    actual, asked = number(document, "ActualQPS"), str(document.get("RequestedQPS", "max"))
    values = {REQUESTS: actual, MEAN: 1000 * number(document, "DurationHistogram", "Avg")}
    histogram = document["DurationHistogram"]
    for place in range(len(histogram.get("Percentiles") or [])):
        p = number(histogram, "Percentiles", place, "Percentile")
        values[percentile(p)] = 1000 * number(histogram, "Percentiles", place, "Value")
    codes = document.get("RetCodes")
    if not isinstance(codes, dict):
        raise NotItsResult("it has no RetCodes: only its load of HTTP is read")
    failed = sum(number(codes, code) for code in codes if not code.startswith(("2", "3")))
    values[ERRORS] = errors_percent(failed, sum(number(codes, code) for code in codes))
    # Its threads ask at times of a plan, but each waits for its answer, and latency counts from when it asked.
    lacks = [CLOSED]
    try:
        behind = actual < _BEHIND * float(asked)
    except ValueError:  # as fast as it can
        behind = False
    if behind:
        lacks.append(f"A load of {asked} requests/s: fortio reached {actual:,.0f}.")
    return Measured(values, lacks, started=instant(document.get("StartTime")))
