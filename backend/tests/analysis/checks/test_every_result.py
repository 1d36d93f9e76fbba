"""Every result that a check declares comes from a constructed record: a new check without one fails here."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from analysis import builders
from analysis.check_results import DECLARATIONS, assert_declared, given, results_of
from analysis.checks import test_checks, test_fleet_checks, test_ineffective, test_open_loop, test_perturbations
from analysis.scenario import Scenario, closing_stream, host_columns
from analysis.summary import test_disk, test_rejected
from ngxlab.analysis.checks import check_run
from ngxlab.analysis.schemas import CheckResult
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.perturbations import SignalNginx

Case = Callable[[], CheckResult]


def from_faults(key: str, severity: str) -> Case:
    """The first of the lists of faults that other tests of the rules use."""
    alone = [scene.build for of, result, scene, _ in test_checks.FAULTS if (of, result) == (key, severity)]
    of_fleet = [host for of, result, host, _ in test_fleet_checks.FAULTS if (of, result) == (key, severity)]
    assert alone or of_fleet, f"no record leads to {key}: {severity}"
    if alone:
        return lambda: results_of(alone[0]())[key]
    return lambda: results_of(test_fleet_checks.with_b(of_fleet[0]))[key]


def behind(how: str) -> Case:
    return lambda: results_of(test_open_loop.BEHIND[how][0])["open-loop-behind"]


def reading_files(*, cold: bool, bytes_per_s: float) -> Case:
    files = FileSet(folder="f", count=1, size_bytes=1, cold=cold)
    scene = Scenario(spec=test_disk.spec([files]), processes=test_disk.reading(bytes_per_s))
    return lambda: results_of(scene.build())["page-cache"]


def crowded_by_closed_connections() -> CheckResult:
    host = test_checks.swap(host_columns(), "node_sockstat_TCP_tw", builders.constant(20_000))
    scene = Scenario(spec=builders.spec(streams=[closing_stream()]), host=host)
    return results_of(scene.build())["ports"]


def killed_on_purpose() -> CheckResult:
    kill = SignalNginx(signal="KILL")
    record = test_perturbations.perturbed(test_perturbations.action(1, 1, action="signal"), by=kill)
    return results_of(replace(record, events=[*record.events, test_perturbations.death()]))["nginx-log"]


def unread_end() -> CheckResult:
    record = Scenario(counts=(7140, 7200, 7210)).build()
    reason = {"live_unavailable_reason": "the last 90 ms of wrk could not be read"}
    events = [one.model_copy(update=reason) if one.kind == "stream_result" else one for one in record.events]
    return results_of(replace(record, events=events))["accounting"]


def failed_reload(key: str) -> Case:
    failed = test_perturbations.action(1, 1, ok=False, detail="no")
    return lambda: results_of(test_perturbations.perturbed(failed))[key]


def dropping_by_half(*, perturbed: bool) -> Case:
    record = test_perturbations.perturbed(test_perturbations.action(1, 20))
    if not perturbed:
        record = test_checks.long_trial().build()
    latency = builders.intervals(record.spec, lambda t_s: [100] * (600 if t_s < 20 else 300))
    return lambda: results_of(replace(record, intervals=latency))["steady"]


def without_readings() -> CheckResult:
    record = Scenario().build()
    middle = builders.T0_US + 6_000_000
    frames = [frame for frame in record.frames if not middle < frame.t_us < middle + 3_000_000]
    return results_of(replace(record, frames=frames))["sampler"]


def between(key: str, *scenes: Scenario) -> Case:
    summaries = [summarise_trial(builders.trial(scene.build())) for scene in scenes]
    return lambda: next(result for result in check_run(summaries) if result.key == key)


def rejecting(key: str, *, counted: bool) -> Case:
    """wrk, three of four of whose responses are rejected; ``counted``: how many came when is known."""
    said = builders.wrk_print(400 * test_rejected.SECONDS, errors_status=300 * test_rejected.SECONDS)
    latency = test_rejected.counted_apart() if counted else test_rejected.mixed()
    return lambda: test_rejected.summarised(test_rejected.wrk([429]), latency, said)[1][key]


def ineffective(key: str, server: str, listen: str = "") -> Case:
    config = test_ineffective.written(server, listen=listen)
    return lambda: test_ineffective.found(config, test_ineffective.stream())[key]


def missing_file() -> CheckResult:
    result = results_of(Scenario(extra=[builders.answer(404)]).build())["first-answers"]
    assert result.message.startswith("GET / -> 404, text/html, 153 B: status 404 is an error")
    return result


LOGGING = Scenario(spec=builders.spec(arm="b", name="b1", config="events {} http { access_log /dev/null; }"))
MORE_FILES = builders.inventory()
MORE_FILES = MORE_FILES.model_copy(update={"limits": MORE_FILES.limits | {"file_max": "999999"}})
NEWER = Scenario(inventory=builders.inventory(kernel="6.2.0", speed_mbps=1000))
CASES: Mapping[tuple[str, str], Case] = given("RECORDS") | {
    ("open-loop-behind", "error"): behind("sent too little"),
    ("open-loop-behind", "warning"): behind("itself late"),
    ("ports", "info"): crowded_by_closed_connections,
    ("nginx-log", "info"): killed_on_purpose,
    ("page-cache", "error"): reading_files(cold=True, bytes_per_s=test_disk.SERVED / 10),
    ("page-cache", "warning"): reading_files(cold=False, bytes_per_s=test_disk.SERVED / 10),
    ("environment", "error"): between("environment", Scenario(), NEWER),
    ("environment", "warning"): between("environment", Scenario(), Scenario(inventory=MORE_FILES)),
    ("access-log", "warning"): between("access-log", Scenario(), LOGGING),
    ("steady", "warning"): dropping_by_half(perturbed=False),
    ("steady", "info"): dropping_by_half(perturbed=True),
    ("coordinated-omission", "info"): lambda: results_of(Scenario().build())["coordinated-omission"],
    ("accounting", "warning"): unread_end,
    ("config-live", "error"): failed_reload("config-live"),
    ("sampler", "warning"): without_readings,
    ("perturbations", "warning"): failed_reload("perturbations"),
    ("served-latency", "error"): rejecting("served-latency", counted=True),
    ("served-rate", "error"): rejecting("served-rate", counted=False),
    ("limits-bypassed", "warning"): ineffective("limits-bypassed", f"{test_ineffective.LIMIT} return 200;"),
    ("http-version", "error"): ineffective("http-version", "return 200;", " ssl http2"),
    ("first-answers", "warning"): missing_file,
    ("compression", "warning"): ineffective("compression", "gzip on; return 200;"),
}
RESULTS = [(key, severity) for key, check in DECLARATIONS.items() for severity in check.results]


@pytest.mark.parametrize(("key", "severity"), RESULTS)
def test_a_record_leads_to_each_result(key: str, severity: str) -> None:
    case = CASES.get((key, severity)) or from_faults(key, severity)
    result = case()
    assert (result.severity, result.key) == (severity, key), result.message
    assert_declared(result)
    assert result.message
