"""What stands in one column is written alike."""

from analysis.run_results import analyse
from ngxlab.analysis.schemas import Comparison


def _compared(**rates: float) -> list[Comparison]:
    scatter = (0.99, 1.0, 1.02, 0.985, 1.01)
    told = {
        arm: [rate * scatter[(block * (1 + place)) % 5] for block in range(5)]
        for place, (arm, rate) in enumerate(rates.items())
    }
    found = [
        one.comparison
        for arm in analyse(told).arms
        for one in arm.metrics
        if one.metric == "requests_per_s" and one.comparison is not None
    ]
    assert len(found) == len(rates) - 1
    return found


def test_one_factor_makes_all_ratios_of_the_metric_factors() -> None:
    small, great = _compared(on=1000, off=1050, rp=2600)
    assert great.text == "2.6x"
    assert small.text == "1.05x"
    assert str(small.ci_text).count("x to ") == 1
    assert "%" not in f"{small.ci_text}{great.ci_text}"


def test_changes_in_percent_stay_so() -> None:
    assert [one.text[-1] for one in _compared(on=1000, off=1050, rp=20)] == ["%", "%"]


def test_a_cv_is_explained_where_it_is_said() -> None:
    rates = {"on": [1000.0] * 3, "off": [1010.0] * 3}
    assert "CV" not in analyse(rates, primary=["requests_per_s"]).headline
    told = analyse(rates, primary=["worker_cpu_cv"])
    assert told.headline.count("CV is the scatter: the standard deviation as a share of the mean") == 1
