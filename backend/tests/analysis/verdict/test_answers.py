"""The first thing that a report says: a question a primary metric, with its answer."""

import pytest
from analysis.run_results import TEMPLATE, analyse, summary
from ngxlab.analysis.schemas import Answer, CheckResult, RunAnalysis

SATURATED = CheckResult(
    number=1, key="generator-saturated", severity="error", title="", remedy=None, message="98 % of a core", trial_ids=[]
)
FLAT = [100.0, 101, 99, 100, 102]
MORE = [150.0, 152, 149, 150, 153]
SAME = [100.1, 100.9, 99.1, 100, 101.9]
FEWER = [50.0, 51, 49, 50, 52]
LOOSE = [60.0, 150, 90, 130, 80]


def answer(analysis: RunAnalysis, metric: str = "requests_per_s") -> Answer:
    return next(one for one in analysis.answers if one.metric == metric)


@pytest.mark.parametrize(
    ("rates", "sign", "word"),
    [
        (MORE, "yes", "Yes"),
        (FEWER, "no", "No, fewer"),
        (SAME, "equal", "No difference"),
        (LOOSE, "open", "Not decided"),
    ],
)
def test_one_arm_is_answered_in_a_word_and_a_figure(rates: list[float], sign: str, word: str) -> None:
    found = answer(analyse({"on": FLAT, "rp": rates}, primary=["requests_per_s"]))
    assert (found.question, found.sign, found.word) == ("More requests/s?", sign, word)


def test_the_figure_is_the_change_or_the_range_that_is_open() -> None:
    assert answer(analyse({"on": FLAT, "rp": MORE}, primary=["requests_per_s"])).text == "+50 %"
    assert " to " in answer(analyse({"on": FLAT, "rp": LOOSE}, primary=["requests_per_s"])).text


@pytest.mark.parametrize(
    ("off", "rp", "sign", "word"),
    [
        (MORE, MORE, "yes", "Yes"),
        (MORE, LOOSE, "yes", "Yes with mutex off"),
        (SAME, LOOSE, "equal", "No difference for mutex off"),
        (MORE, FEWER, "mixed", "It depends on the arm"),
        (MORE, SAME, "yes", "Yes with mutex off"),
    ],
)
def test_of_several_arms_it_says_with_which(off: list[float], rp: list[float], sign: str, word: str) -> None:
    found = answer(analyse({"on": FLAT, "off": off, "rp": rp}, primary=["requests_per_s"]))
    assert (found.sign, found.word) == (sign, word)
    assert [one.arm for one in found.arms] == ["off", "rp"]
    assert found.text.startswith("`mutex off` ")
    assert ", `reuseport` " in found.text


def test_a_metric_compared_by_difference_shows_both_values() -> None:
    trials = [
        summary(arm, block, 100, balance=TEMPLATE.balance and TEMPLATE.balance.model_copy(update={"cpu_cv": cv}))
        for arm, values in {"on": [1.73, 1.72, 1.74, 1.73], "rp": [0.1, 0.12, 0.1, 0.11]}.items()
        for block, cv in enumerate(values, start=1)
    ]
    found = answer(
        analyse({"on": [None] * 4, "rp": [None] * 4}, extra=trials, primary=["worker_cpu_cv"]), "worker_cpu_cv"
    )
    assert (found.question, found.word) == ("CPU spread more evenly over workers?", "Yes")
    assert found.text == "1.73 → 0.11"


def test_what_a_check_voids_is_not_answered() -> None:
    analysis = analyse({"on": FLAT, "rp": MORE}, checks=[SATURATED], primary=["requests_per_s"])
    assert (answer(analysis).sign, answer(analysis).word) == ("not_valid", "Not valid")


def test_a_metric_without_a_common_block_cannot_be_compared() -> None:
    found = answer(analyse({"on": [100.0, None], "rp": [None, 150.0]}, primary=["requests_per_s"]))
    assert (found.sign, found.word) == ("open", "Not comparable")
    assert found.arms[0].verdict is None


def test_a_single_arm_asks_nothing() -> None:
    assert analyse({"on": FLAT}, primary=["requests_per_s"]).answers == []


def test_an_estimate_without_an_interval_says_so() -> None:
    assert answer(analyse({"on": [100.0], "rp": [150.0]}, primary=["requests_per_s"])).text == "+50 % (no interval)"
