"""Figures of a trial that are compared and nothing more, by the key of their metric.

Another source is another module with a function from the record to its figures, listed here.
"""

from collections.abc import Callable, Mapping

from ngxlab.analysis.measures import churn, disk_figures, host_figures, idle_figures, nginx_figures
from ngxlab.analysis.records import TrialRecord

Figures = Mapping[str, float | None]

SOURCES: tuple[Callable[[TrialRecord], Figures], ...] = (
    host_figures.figures,
    nginx_figures.figures,
    disk_figures.figures,
    idle_figures.figures,
    churn.figures,
)


def figures(record: TrialRecord) -> dict[str, float]:
    """Those that the record tells."""
    found = {key: value for source in SOURCES for key, value in source(record).items()}
    return {key: value for key, value in found.items() if value is not None}
