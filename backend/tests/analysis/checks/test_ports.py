"""Who uses up local ports, and who does not."""

from analysis import builders, scenario
from analysis.builders import constant
from analysis.check_results import results_of
from analysis.checks.test_checks import swap
from analysis.scenario import Scenario


def test_ports_are_not_scarce_where_it_is_nginx_that_closes() -> None:
    crowded = Scenario(
        spec=builders.spec(streams=[scenario.closing_stream()]),
        host=swap(scenario.host_columns(), "node_sockstat_TCP_tw", constant(20_000)),
    )
    found = results_of(crowded.build())["ports"]
    assert found.severity == "info"
    assert "occupies no local port" in found.message


def test_the_trial_is_void_where_nginx_found_no_port() -> None:
    host = swap(scenario.host_columns(), "node_sockstat_TCP_tw", constant(20_000))
    crowded = Scenario(host=host)
    assert results_of(crowded.build())["ports"].severity == "warning", "nothing failed"
    log = "connect() to 127.0.0.1:8081 failed (99: Cannot assign requested address) while connecting to upstream"
    failed = Scenario(host=host, extra=[builders.artefact("error.log", log)])
    assert results_of(failed.build())["ports"].severity == "error"


def test_a_generator_without_a_free_port_is_told_from_one_that_was_refused() -> None:
    few = builders.inventory()
    few = few.model_copy(update={"limits": few.limits | {"ip_local_port_range": "50000\t50149"}})
    failed = Scenario(errors={"errors_connect": 20}, inventory=few, host=without_time_wait())
    assert "a generator failed to connect" in results_of(failed.build())["ports"].message
    refused = Scenario(errors={"errors_connect": 20}, host=without_time_wait())
    assert results_of(refused.build())["ports"].severity == "pass"


def without_time_wait() -> builders.Columns:
    return swap(scenario.host_columns(), "node_sockstat_TCP_tw", constant(0))
