"""A short form of what `make simulate` adds to the procedure: recoveries, factors, slopes, thresholds, positions; and
whether docs/simulations.md has a row of each simulation."""

import math

import pytest

from scripts.simulations.__main__ import BEGIN, DOCUMENT, END, GOALS, HEADS, studies
from scripts.simulations.goals import goals_met
from scripts.simulations.tables import Figures, Study, as_table, sections

COUNT = 150
STUDIES = {f"{study.table} {study.title}": study for study in studies()}


def at_most(share: float) -> float:
    return share + 3.5 * math.sqrt(share * (1 - share) / COUNT)


def at_least(share: float) -> float:
    return 1 - at_most(1 - share)


def shares(title: str) -> list[float]:
    return STUDIES[title].shares(COUNT)


@pytest.mark.parametrize("blocks", [5, 10])
def test_an_arm_that_failed_to_recover_in_some_trials_is_never_better(blocks: int) -> None:
    failed, better, _ = shares(f"recovery 6 s, 2 s or in 30 % of trials never | {blocks}")
    assert failed > 0.5
    assert better == 0


def test_equal_recoveries_are_seldom_told_apart() -> None:
    failed, better, false = shares("recovery 6 s, 6 s | 10")
    assert 0 < failed < 1
    assert better == 0
    assert false <= at_most(0.05)


@pytest.mark.parametrize("title", ["2 x 3 | 10 % | 5 | no", "2 x 2 | 5 % | 5 | yes"])
def test_effects_of_factors_keep_the_error_of_their_family(title: str) -> None:
    false, covered, _ = shares(f"factors {title}")
    assert false <= at_most(0.05)
    assert covered >= at_least(0.95)


def test_a_baseline_that_scatters_more_makes_no_false_effects() -> None:
    """Without a guard, 14 % of families have one."""
    false, covered = shares("factors-unequal 3 x 3 | the baseline's three times | 5")
    assert false <= at_most(0.05)
    assert covered >= at_least(0.95)


def test_an_effect_of_a_factor_is_found() -> None:
    assert shares("factors 2 x 3 | 5 % | 5 | yes")[2] > 0.8


@pytest.mark.parametrize("title", ["1 | 2 % | 5 | 2", "1 | 10 % | 5 | 5"])
def test_a_gate_of_a_ratio_seldom_fails_where_nothing_differs(title: str) -> None:
    failed, _, _ = shares(f"thresholds {title}")
    assert failed <= at_most(0.025)


def test_a_gate_seldom_passes_or_fails_at_its_limit() -> None:
    failed, passed, _ = shares("thresholds 0.98 | 2 % | 5 | 2")
    assert failed <= at_most(0.025)
    assert passed <= at_most(0.025)


@pytest.mark.parametrize("title", ["0.5 % | 3 | 5", "0.5 % | 5 | 3"])
def test_a_position_effect_of_five_percent_makes_no_claims_in_incomplete_squares(title: str) -> None:
    false, covered, _ = shares(f"positions rises from first to last | {title}")
    assert false <= at_most(0.05)
    assert covered >= at_least(0.94)


def test_seeds_are_fixed_and_a_table_has_a_row_for_each_study() -> None:
    study = next(iter(STUDIES.values()))
    assert isinstance(study, Study)
    assert study.shares(20) == study.shares(20)
    lines = as_table(HEADS[study.table], [(study, [0.0, 0.05, 0.1])], 20).splitlines()
    assert f"| {study.title} | 0.0 % | 5.0 % | 10.0 % |" in lines


def written() -> dict[str, str]:
    return sections(DOCUMENT.read_text().partition(BEGIN)[2].partition(END)[0])


def test_the_document_has_each_row_and_no_other() -> None:
    tables = written()
    wanted = {table: [study.title for study in studies() if study.table == table] for table in HEADS}
    assert {table: list(Figures.of(tables[table]).rows) for table in HEADS} == wanted


def test_the_document_says_of_each_goal_what_its_tables_show() -> None:
    tables = written()
    assert tables.pop(GOALS) == goals_met(tables)
