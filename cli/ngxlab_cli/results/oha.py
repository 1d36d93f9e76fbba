"""oha 1.15: --output-format json (`src/printer.rs`, `print_json`). Latencies are in seconds."""

from ngxlab_cli.results.measured import (
    ERRORS,
    MEAN,
    REQUESTS,
    Measured,
    NotItsResult,
    document_of,
    errors_percent,
    number,
    percentile,
)

_DEADLINE = "aborted due to deadline"
_UNKNOWN_LOOP = (
    "Whether the load came at a rate (-q) or waited for answers: the document does not say. If it waited, or -q came "
    "without --latency-correction, latencies can be compared only where the arms' rates are alike."
)


def oha(text: str) -> Measured:
    """Requests that the end of the run broke off are no errors, as oha counts. Raises ``NotItsResult``."""
    document = document_of(text)
    percentiles = document.get("latencyPercentiles")
    statuses, errors = document.get("statusCodeDistribution", {}), document.get("errorDistribution", {})
    if not (isinstance(percentiles, dict) and isinstance(statuses, dict) and isinstance(errors, dict)):
        raise NotItsResult("it has no latencyPercentiles: oha writes it with --output-format json")
    values = {
        REQUESTS: number(document, "summary", "requestsPerSec"),
        MEAN: 1000 * number(document, "summary", "average"),
    }
    values |= {percentile(float(name.lstrip("p"))): 1000 * number(percentiles, name) for name in percentiles}
    refused = sum(number(statuses, status) for status in statuses if not status.startswith(("2", "3")))
    broken = sum(number(errors, error) for error in errors if error != _DEADLINE)
    values[ERRORS] = errors_percent(refused + broken, sum(number(statuses, status) for status in statuses) + broken)
    return Measured(values, [_UNKNOWN_LOOP])
