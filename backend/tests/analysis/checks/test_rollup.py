"""Checks of many trials rolled up over a run."""

import pytest
from analysis.run_results import ARMS, analyse, summary
from ngxlab.analysis.checks import declarations
from ngxlab.analysis.checks.check import RunCheck
from ngxlab.analysis.checks.rollup import roll_up
from ngxlab.analysis.run_analysis import analyse_run
from ngxlab.analysis.schemas import CheckResult, CheckSeverity, PlanFacts


def check(key: str, severity: CheckSeverity, number: int = 1) -> CheckResult:
    remedy = None if severity == "pass" else "fix it"
    return CheckResult(
        number=number, key=key, severity=severity, title=key, message=f"{key} seen", remedy=remedy, trial_ids=[]
    )


def test_checks_are_counted_without_those_that_could_not_be_made() -> None:
    checks = [
        check("a", "pass"),
        check("b", "info", 2),
        check("shared-cores", "warning", 3),
        check("d", "unavailable", 4),
    ]
    analysis = analyse({"on": [100.0] * 2, "rp": [100.0] * 2}, checks=checks)
    between = sum(isinstance(one, RunCheck) for one in declarations())
    """Those that compare the trials of the run pass here."""
    passed, made = 1 + between, 2 + between
    assert (analysis.checks.passed, analysis.checks.made, analysis.checks.unavailable) == (passed, made, 1)
    assert analysis.headline.endswith(f"Validity: {passed} of {made} checks passed; warning: shared cores.")
    assert analysis.trustworthy
    warning = next(result for result in analysis.checks.results if result.key == "shared-cores")
    assert warning.message == "in 4 of 4 trials: shared-cores seen"


@pytest.mark.parametrize(
    ("severity", "title"),
    [
        ("pass", "The generator had CPU to spare"),
        ("warning", "The generator was saturated"),
        ("error", "The generator was saturated"),
        ("unavailable", "Not checked: the generator had CPU to spare"),
    ],
)
def test_a_title_is_true_of_its_result_also_of_one_kept_with_an_older_title(
    severity: CheckSeverity, title: str
) -> None:
    rolled = analyse({"on": [100.0], "rp": [100.0]}, checks=[check("generator-saturated", severity)]).checks.results
    assert next(result.title for result in rolled if result.key == "generator-saturated") == title


def test_no_two_results_share_a_title() -> None:
    titles = [title for one in declarations() for title in (one.title, one.failed)]
    assert len(set(titles)) == len(titles)


def test_an_error_makes_the_run_untrustworthy() -> None:
    analysis = analyse({"on": [100.0], "rp": [100.0]}, checks=[check("accounting", "error", 23)])
    assert not analysis.trustworthy
    assert analysis.headline.endswith("error: accounting.")


def test_the_worst_trial_speaks_for_a_check() -> None:
    clean = summary("on", 1, 100), [check("x", "pass")]
    unknown = summary("rp", 1, 100), [check("x", "unavailable")]
    plan = PlanFacts(blocks=1, measure_s=1, warmup_s=0, trials_planned=2)
    rolled = analyse_run(ARMS[::2], "on", [clean, unknown], plan).checks.results
    assert next(result for result in rolled if result.key == "x").severity == "unavailable"


def test_what_is_told_of_one_trial_is_not_told_of_all() -> None:
    late = [check("late", "warning").model_copy(update={"message": f"{ms} ms late"}) for ms in (168, 304)]
    told = roll_up([*late, check("late", "pass")]).results[0].message
    assert told == "in 2 of 3 trials; in the first of them: 168 ms late"
