"""What perturbations did in a trial."""

from collections.abc import Sequence
from statistics import fmean

from ngxlab_contracts.telemetry import ActionEvent

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import ActionsSummary


def summaries(record: TrialRecord) -> list[ActionsSummary]:
    """One for each perturbation that has an action, host by host, in the order of the plan."""
    summarised = []
    for host in record.hosts:
        by_key: dict[str, list[ActionEvent]] = {}
        for action in host.actions():
            by_key.setdefault(action.perturbation, []).append(action)
        planned = [one.key for one in host.spec.perturbations]
        summarised += [_summary(record, host, by_key[key]) for key in planned if key in by_key]
    return summarised


def _summary(record: TrialRecord, host: HostRecord, actions: Sequence[ActionEvent]) -> ActionsSummary:
    done = [action for action in actions if not action.skipped]
    seconds = [(action.ended_us - action.t_us) / 1e6 for action in done if action.ended_us is not None]
    return ActionsSummary(
        perturbation=actions[0].perturbation,
        action=actions[0].action,
        host=record.labels[host.host_id],
        count=len(actions),
        failed=sum(not action.ok for action in done),
        skipped=len(actions) - len(done),
        mean_s=fmean(seconds) if seconds else None,
        max_s=max(seconds, default=None),
    )
