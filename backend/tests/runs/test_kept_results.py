"""What is kept beside a trial is read where it is of the window that holds."""

import pytest
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.runs.models import Trial
from ngxlab.runs.results.trial_results import _kept
from structlog.testing import capture_logs

CHOSEN = Span(0.25, 30)


@pytest.mark.parametrize(("of", "is_read"), [(CHOSEN, True), (Span(0.5, 30), False), (None, False)])
def test_of_another_window_nothing_is_read(of: Span | None, *, is_read: bool) -> None:
    """Each of hundreds of trials would take a millisecond and more, and be computed anyway."""
    trial = Trial(summary={"window_chosen": CHOSEN._asdict(), "requests": "unreadable"}, checks=[])
    with capture_logs() as said:
        assert _kept(trial, of) is None
    assert bool(said) == is_read
