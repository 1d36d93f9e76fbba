"""What stands beside primary claims, in the words of reports."""

from analysis.run_results import analyse, metric_of, said

BASE = [1000.0, 1010.0, 990.0, 1004.0, 996.0, 1001.0]
BETTER = [1102.0, 1110.0, 1093.0, 1101.0, 1098.0, 1105.0]


def test_a_claim_has_the_same_without_normal_scatter_beside_it() -> None:
    analysis = analyse({"on": BASE, "rp": BETTER})
    robust = metric_of(analysis, "rp").comparison.robust  # type: ignore[union-attr]
    assert robust is not None
    assert robust.agrees
    assert robust.interval == "96.9 % CI"
    assert 1 < robust.ci_low < robust.estimate < robust.ci_high
    expected = f"Without assuming normal scatter: {robust.text} (96.9 % CI {robust.ci_text})."
    assert said(analysis, "rp").beside == [expected]
    assert analysis.statements[0].beside == [expected]


def test_where_it_disagrees_it_says_what_it_alone_would_be() -> None:
    shaken = [BETTER[0] * 0.5, *BETTER[1:]]
    analysis = analyse({"on": BASE * 2, "rp": shaken + BETTER})
    claim = metric_of(analysis, "rp").comparison
    assert claim is not None
    assert claim.verdict == "undecided"
    assert claim.robust is not None
    assert (claim.robust.verdict, claim.robust.agrees) == ("better", False)
    assert said(analysis, "rp").cautions[0].endswith(", which alone would be better.")


def test_a_stall_seen_once_is_named_with_how_often_it_may_happen_and_would_not_be_seen() -> None:
    stalled = [*BETTER[:3], 700.0, *BETTER[4:]]
    analysis = analyse({"on": BASE[:6], "rp": stalled})
    assert said(analysis, "rp").cautions[-1] == (
        "A trial of `reuseport` stands apart, that of block 4: requests/s −36 % against the median of its others. What "
        "happens in 1 of 6 trials may happen in 0.4 to 64 % of all; in the 6 trials of `mutex on`, a stall in up to "
        "39 % of trials would not show."
    )


def test_exploratory_comparisons_and_few_pairs_have_nothing_beside_them() -> None:
    few = analyse({"on": BASE[:4], "rp": BETTER[:4]})
    assert said(few, "rp").beside == []
    analysis = analyse({"on": BASE, "rp": BETTER})
    assert all(one.beside == one.cautions == [] for one in analysis.sentences if one.family == "exploratory")
