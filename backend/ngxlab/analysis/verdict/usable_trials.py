"""Which trials of an arm are compared."""

from collections.abc import Mapping, Sequence

from ngxlab.analysis.schemas import TrialSummary

TrialsByBlock = Mapping[int, TrialSummary]
"""The trials of one arm."""


def usable_by_block(summaries: Sequence[TrialSummary], arm: str) -> dict[int, TrialSummary]:
    """The usable trials of an arm by block; of several attempts at a block, the last one."""
    of_arm = [summary for summary in summaries if summary.arm == arm and summary.usable]
    return {summary.block: summary for summary in sorted(of_arm, key=lambda summary: summary.attempt)}
