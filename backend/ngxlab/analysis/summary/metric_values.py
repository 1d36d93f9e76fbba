"""Values of a trial that only metrics use, by the key of their metric.

To add a source, write a module with a function from the record to its values, and list it here.
"""

from collections.abc import Callable, Mapping

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.summary import churn, disk, host_totals, idle_connections, nginx, rejected

Source = Callable[[TrialRecord], Mapping[str, float | None]]

SOURCES: tuple[Source, ...] = (
    host_totals.metric_values,
    nginx.metric_values,
    disk.metric_values,
    idle_connections.metric_values,
    churn.metric_values,
    rejected.metric_values,
)


def metric_values(record: TrialRecord) -> dict[str, float]:
    """Those that were measured."""
    values = {key: value for source in SOURCES for key, value in source(record).items()}
    return {key: value for key, value in values.items() if value is not None}
