"""A measured window that was chosen after the trial, in place of the planned one (docs/method.md, Chosen windows)."""

from dataclasses import replace

from ngxlab.analysis.records.host_record import HostRecord
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.records.trial_record import TrialRecord


def rewindowed(record: TrialRecord, chosen: Span | None) -> TrialRecord:
    """The same trial with another window; ``chosen`` counts in seconds from the start of the planned one, on each
    host's own clock, and is negative in the warm-up. ``None``: the planned one."""
    if chosen is None:
        return record
    return replace(record, chosen=chosen, hosts=[_host(host, chosen) for host in record.hosts])


def _host(host: HostRecord, chosen: Span) -> HostRecord:
    """The plan is told of it too, so that what runs for a part of the window is judged by the chosen one."""
    timing = host.spec.timing
    moved = {"warmup_s": timing.warmup_s + chosen.start_s, "measure_s": chosen.seconds}
    spec = host.spec.model_copy(update={"timing": timing.model_copy(update=moved)})
    return replace(host, spec=spec, chosen=chosen)
