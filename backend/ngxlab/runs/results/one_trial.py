"""What is computed of one trial from its raw data."""

from collections.abc import Sequence
from typing import NamedTuple

from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.records.trial_record import rewindowed
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.metrics.raw_data import RawData
from ngxlab.metrics.service import ReportingHost
from ngxlab.runs.models import Trial
from ngxlab.runs.telemetry import TrialFacts, trial_record

Result = tuple[TrialSummary, list[CheckResult]]


class StoredTrial(NamedTuple):
    """A trial as it is stored, which is smaller than what is read from it. ``window``: in place of the planned one."""

    facts: TrialFacts
    hosts: Sequence[ReportingHost]
    data: RawData
    window: Span | None

    @classmethod
    def of(cls, trial: Trial, hosts: Sequence[ReportingHost], data: RawData, window: Span | None) -> "StoredTrial":
        """``data`` may be of many trials."""
        return cls(TrialFacts.of(trial), hosts, data.of(trial.id), window)


def result(stored: StoredTrial) -> Result:
    """Summary and checks."""
    record = rewindowed(trial_record(stored.facts, stored.hosts, stored.data), stored.window)
    summary = summarise_trial(record)
    return summary, check_trial(record, summary)
