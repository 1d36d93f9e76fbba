"""What is computed of one trial from its raw data; also as jobs of a process of its own (:mod:`ngxlab.core.apart`)."""

import pickle
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.records.chosen_window import rewindowed
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.metrics.raw_data import RawData
from ngxlab.metrics.service import ReportingHost
from ngxlab.runs.models import Trial
from ngxlab.runs.results.records_at_hand import RecordsAtHand, key_of
from ngxlab.runs.telemetry import TrialFacts, trial_record

Result = tuple[TrialSummary, list[CheckResult]]

_RESULT: TypeAdapter[Result | None] = TypeAdapter(Result | None)

at_hand = RecordsAtHand()
"""Of this process."""


class StoredTrial(NamedTuple):
    """A trial as it is stored, which is smaller than what is read from it. ``window``: in place of the planned one.

    ``key``: under which its record is kept at hand, if it is.
    """

    facts: TrialFacts
    hosts: Sequence[ReportingHost]
    data: RawData
    window: Span | None
    key: str | None = None

    @classmethod
    def of(cls, trial: Trial, hosts: Sequence[ReportingHost], data: RawData, window: Span | None) -> "StoredTrial":
        """``data`` may be of many trials."""
        return cls(TrialFacts.of(trial), hosts, data.of(trial.id), window, key_of(trial))


def read(stored: StoredTrial) -> TrialRecord:
    """What is stored, in the form that is computed from; at hand from now on, if it has a key."""
    record = trial_record(stored.facts, stored.hosts, stored.data)
    if stored.key is not None:
        at_hand.keep(stored.key, record)
    return record


def result(stored: StoredTrial) -> Result:
    """Summary and checks."""
    return of_record(read(stored), stored.window)


def again(key: str, window: Span | None) -> Result | None:
    """Of a record that is at hand, for another window; ``None`` if it is not."""
    record = at_hand.get(key)
    return of_record(record, window) if record is not None else None


def of_record(record: TrialRecord, window: Span | None) -> Result:
    """As :func:`result`, of what has been read."""
    moved = rewindowed(record, window)
    summary = summarise_trial(moved)
    return summary, check_trial(moved, summary)


def packed(request: tuple[object, ...]) -> str:
    """The request of a job."""
    return b64encode(pickle.dumps(request, pickle.HIGHEST_PROTOCOL)).decode()


def _opened(request: str) -> Any:
    return pickle.loads(b64decode(request))  # noqa: S301  (from the process that started this one)


def job(request: str) -> str:
    """As :func:`result`, of the fields of a stored trial, as JSON."""
    return _RESULT.dump_json(result(StoredTrial(*_opened(request)))).decode()


def job_read(request: str) -> str:
    """As :func:`read`; the record stays in this process."""
    read(StoredTrial(*_opened(request)))
    return ""


def job_again(request: str) -> str:
    """As :func:`again`, of key, window and record; ``None`` for a record that is at hand in this process."""
    key, window, record = _opened(request)
    if record is not None:
        at_hand.keep(key, record)
    return _RESULT.dump_json(again(key, window)).decode()


def unpacked(answer: str) -> Result | None:
    """What :func:`job` or :func:`job_again` answered."""
    return _RESULT.validate_json(answer)


def ready(_: str) -> str:
    """A job that says that the process has started."""
    return ""
