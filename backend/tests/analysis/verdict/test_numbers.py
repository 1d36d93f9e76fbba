"""Numbers as they are said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.analysis.verdict import numbers
from ngxlab_verdict.numbers import factor, percent


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.0, "0 %"),
        (1.0004, "0 %"),
        (1.12, "+12 %"),
        (1.018, "+1.8 %"),
        (0.99, "−1 %"),
        (0.12, "−88 %"),
        (1.994, "+99 %"),
    ],
)
def test_percent(ratio: float, text: str) -> None:
    assert percent(ratio) == text


def test_the_estimate_chooses_one_scale_for_its_interval() -> None:
    assert numbers.estimate_texts(9.1, 8.0, 10.2, ratio=True) == ("9.1x", "8.0x to 10.2x")
    assert numbers.estimate_texts(2.4, 1.4, 4.1, ratio=True) == ("2.4x", "1.4x to 4.1x")
    assert numbers.estimate_texts(1.5, 0.99, 2.2, ratio=True) == ("+50 %", "−1 % to +120 %")
    assert numbers.estimate_texts(2.1, 0.034, 130, ratio=True) == ("2.1x", "0.034x to 130x")
    assert numbers.estimate_texts(-0.12, -0.2, -0.04, ratio=False) == ("−0.12", "−0.20 to −0.04")
    assert numbers.estimate_texts(-102_887.4, -103_000.0, -99.94, ratio=False) == ("−102,887", "−103,000 to −99.9")
    assert numbers.estimate_texts(1.12, None, None, ratio=True) == ("+12 %", None)


def test_the_ends_of_an_interval_are_told_apart() -> None:
    assert numbers.estimate_texts(2.91, 2.89, 2.92, ratio=True) == ("2.91x", "2.89x to 2.92x")
    assert numbers.estimate_texts(1.5012, 1.5004, 1.502, ratio=True) == ("+50.1 %", "+50.0 % to +50.2 %")
    assert numbers.estimate_texts(5.0, 4.999, 5.001, ratio=False) == ("+5.000", "+4.999 to +5.001")


def test_changes_beyond_a_thousand_percent_are_factors() -> None:
    assert numbers.estimate_texts(1.5, 0.99, 264.41, ratio=True) == ("1.5x", "0.99x to 264x")
    assert numbers.estimate_texts(1.5, 0.99, 10.9, ratio=True) == ("+50 %", "−1 % to +990 %")


def test_tiny_changes_have_two_digits_that_count() -> None:
    assert numbers.estimate_texts(1.0001, 1.00008, 1.000127, ratio=True) == ("+0.010 %", "+0.008 % to +0.013 %")
    assert numbers.estimate_texts(1.000126, 1.000124, 1.000127, ratio=True) == ("+0.013 %", "+0.012 % to +0.013 %")
    assert numbers.estimate_texts(1.0, 1.0, 1.0, ratio=True) == ("0 %", "0 % to 0 %")


def test_large_ratios_have_no_decimals() -> None:
    assert factor(345.6) == "346x"


def test_ratios_from_a_thousand_on_have_two_digits_or_as_many_as_tell_the_ends_apart() -> None:
    assert factor(999.4) == "999x"
    assert numbers.estimate_texts(1_948.4, 1_410.2, 2_693.0, ratio=True) == ("1,900x", "1,400x to 2,700x")
    assert numbers.estimate_texts(1_965.0, 1_951.0, 1_979.0, ratio=True) == ("1,960x", "1,950x to 1,980x")
    assert numbers.estimate_texts(12_345.6, 800.0, 190_000.0, ratio=True) == ("12,000x", "800x to 190,000x")


@given(st.floats(0.01, 100), st.floats(1, 10), st.floats(1, 10))
def test_an_interval_never_mixes_scales_or_minus_signs(estimate: float, below: float, above: float) -> None:
    text, interval = numbers.estimate_texts(estimate, estimate / below, estimate * above, ratio=True)
    assert interval is not None
    assert {one[-1] for one in (text, *interval.split(" to "))} in ({"x"}, {"%"})
    assert "-" not in text + interval
