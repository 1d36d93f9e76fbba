"""Checks that compare the trials of a run."""

from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.checks import check_run
from ngxlab.analysis.records.fingerprint import as_of
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.telemetry import FingerprintEvent


def test_environment_and_logs_are_compared_between_trials() -> None:
    first = summarise_trial(builders.trial(Scenario().build()))
    newer = Scenario(
        spec=builders.spec(arm="b", name="b1", config="events {} http { access_log /dev/null; }"),
        inventory=builders.inventory(kernel="6.2.0", speed_mbps=1000),
    )
    second = summarise_trial(builders.trial(newer.build()))
    same = {result.key: result for result in check_run([first, first])}
    assert {result.severity for result in same.values()} == {"pass"}
    changed = {result.key: result for result in check_run([first, second])}
    assert changed["environment"].severity == "error"
    assert "6.1.0 and 6.2.0" in changed["environment"].message
    assert changed["access-log"].severity == "warning", "a log that differs is what was asked"
    unbuffered = {result.key: result for result in check_run([second])}
    assert unbuffered["access-log"].severity == "warning"
    assert {result.severity for result in check_run([])} == {"unavailable"}


def test_a_setting_that_changes_during_the_run_is_noticed() -> None:
    def after(settings: dict[str, str], nginx: str) -> TrialSummary:
        fingerprint = FingerprintEvent(
            t_us=builders.T0_US,
            boot_id="boot-1",
            kernel="6.1.0",
            governor="performance",
            limits={},
            settings=settings,
            programs={"/usr/sbin/nginx": nginx},
        )
        known = as_of(builders.inventory(), fingerprint)
        assert known is not None
        return summarise_trial(builders.trial(Scenario(inventory=known).build()))

    first = after({"net.core.somaxconn": "4096"}, "ab" * 32)
    small = after({"net.core.somaxconn": "128"}, "ab" * 32)
    rebuilt = after({"net.core.somaxconn": "4096"}, "ef" * 32)
    results = [check_run([first, later])[0] for later in (first, small, rebuilt)]
    assert [result.severity for result in results] == ["pass", "error", "error"]
    assert "net.core.somaxconn: 128 and 4096" in results[1].message
    assert "efefefef" in results[2].message
