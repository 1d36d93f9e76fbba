"""A recovery that had not ended when the window did is no reason to call an arm better, or worse."""

from analysis.run_results import analyse, metric_of, summary

RECOVERY = "churn_recovery_s"


def recovered(arm: str, block: int, seconds: float | None) -> dict[str, object]:
    values = {RECOVERY: seconds, "churn_recovered": float(seconds is not None)}
    return {"metric_values": values}


def said_of(arm_s: list[float | None], baseline_s: list[float | None]) -> tuple[str | None, str | None]:
    """Verdict and the reason for none."""
    trials = [
        summary(arm, block, 1000.0 + block, **recovered(arm, block, seconds))
        for arm, of_arm in (("rp", arm_s), ("on", baseline_s))
        for block, seconds in enumerate(of_arm, start=1)
    ]
    analysis = analyse({"on": [None] * 5, "rp": [None] * 5}, extra=trials, primary=[RECOVERY])
    found = metric_of(analysis, "rp", RECOVERY)
    return (found.comparison.verdict if found.comparison else None), found.no_comparison_reason


def test_an_arm_that_failed_to_recover_is_not_better() -> None:
    slow: list[float | None] = [9.0, 10.0, 11.0, 9.5, 10.5]
    assert said_of([1.0, 1.1, 0.9, 1.05, 0.95], slow) == ("better", None)
    verdict, reason = said_of([1.0, None, 0.9, None, 0.95], slow)
    assert verdict is None
    assert reason == "it had not ended within the window in 2 of 5 trials of rp"
    assert said_of(slow, [1.0, None, 0.9, None, 0.95])[0] is None
