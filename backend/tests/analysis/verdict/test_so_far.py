"""What a run that goes on says: one sentence before an interval can exist, then the words of its report."""

import pytest
from analysis.run_results import analyse
from ngxlab.analysis.schemas import CheckResult, RunAnalysis
from ngxlab.analysis.verdict.looked_at import so_far
from ngxlab_verdict import Looks

RATES = [1000.0, 1030.0, 980.0, 1010.0, 990.0]


def after(blocks: int, planned: int) -> RunAnalysis:
    rates = {"on": RATES[:blocks], "off": RATES[1 : blocks + 1], "rp": RATES[:blocks]}
    return analyse(rates).model_copy(update={"blocks_planned": planned})


@pytest.mark.parametrize(
    ("complete", "planned", "looks", "first"),
    [(1, 5, Looks(4, 0.005), 5), (1, 10, Looks(9, 0.005), 5), (1, 3, Looks(20), 5), (1, 3, Looks(2, 0.005), 3)],
)
def test_one_sentence_is_enough_before_there_can_be_an_interval(
    complete: int, planned: int, looks: Looks, first: int
) -> None:
    told = so_far(after(complete, planned), looks)
    assert told == f"No verdict yet: 1 of {planned} blocks; the first interval comes with block {first}."


def test_then_each_primary_metric_is_told() -> None:
    told = so_far(after(4, 5), None)
    assert "requests/s with `mutex off` against `mutex on`" in told
    assert told.endswith("4 of 5 blocks are complete.")


def test_what_a_check_voids_is_told_from_the_first_block_on() -> None:
    saturated = CheckResult(
        number=1, key="saturated", severity="error", title="The generator was saturated", message="97 % of a core",
        remedy=None, trial_ids=[],
    )  # fmt: skip
    analysis = analyse({"on": RATES[:1], "rp": RATES[:1]}, checks=[saturated])
    told = so_far(analysis.model_copy(update={"blocks_planned": 5}), Looks(4, 0.005))
    assert told.startswith("Not valid: ")
    assert told.endswith("No verdict yet: 1 of 5 blocks; the first interval comes with block 5.")
