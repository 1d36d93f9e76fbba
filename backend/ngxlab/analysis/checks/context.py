"""What a trial's checks read."""

from dataclasses import dataclass, replace

from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import StreamSummary, TrialHostSummary, TrialSummary


@dataclass(frozen=True)
class TrialContext:
    """A trial's record and summary. ``host`` is the host under check: the target, unless a rule concerns others."""

    record: TrialRecord
    summary: TrialSummary
    host: HostRecord

    @property
    def several_hosts(self) -> bool:
        return len(self.record.hosts) > 1

    @property
    def host_summary(self) -> TrialHostSummary:
        """The summary of the host under check."""
        return next(one for one in self.summary.hosts if one.host_id == self.host.host_id)

    @property
    def own_streams(self) -> list[StreamSummary]:
        """Streams of the host under check."""
        return [stream for stream in self.summary.streams if stream.host_id == self.host.host_id]

    @property
    def all_streams(self) -> list[StreamSpec]:
        """The plan of every stream of the trial."""
        return [stream for host in self.record.hosts for stream in host.spec.streams]

    def on(self, host: HostRecord) -> "TrialContext":
        return replace(self, host=host)

    def name(self, host: HostRecord) -> str:
        return self.record.labels[host.host_id]
