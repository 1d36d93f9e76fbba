"""Generators that are ready to run and wait for a CPU."""

from analysis.builders import constant
from analysis.check_results import results_of
from analysis.checks.test_checks import swap_user, waiting
from analysis.scenario import Scenario


def test_a_generators_thread_that_only_sleeps_hides_no_waiting() -> None:
    asleep = ("ngxlab_thread_run_seconds_total", {"role": "generator", "stream": "main", "thread": "0"}, constant(0.0))
    result = results_of(Scenario(processes=[asleep, *waiting(ran=0.3, waited=0.65)]).build())["generator-saturated"]
    assert (result.severity, "waited for a CPU for 65 %" in result.message) == ("warning", True), result.message


def test_a_generator_that_others_keep_from_running_has_no_cpu_to_spare() -> None:
    """It waits for a fifth of the time: for nginx's workers, or for processes that have no part in the trial."""
    held_up = waiting(ran=0.15, waited=0.2)
    assert results_of(Scenario(processes=held_up).build())["generator-saturated"].severity == "pass"
    result = results_of(Scenario(processes=held_up, host=swap_user(0.6)).build())["generator-saturated"]
    assert result.severity == "warning"
    assert result.message == (
        "the generator's threads of stream main ran 15 % of the time and waited for a CPU for 20 % of it, while "
        "processes outside the trial used 12 % of all CPUs"
    )
    assert str(result.remedy).startswith("stop other work")


def test_others_that_take_no_cpu_from_the_generator_are_not_its_concern() -> None:
    busy = Scenario(processes=waiting(ran=0.15, waited=0.02), host=swap_user(0.6))
    results = results_of(busy.build())
    assert (results["generator-saturated"].severity, results["noisy-host"].severity) == ("pass", "warning")
