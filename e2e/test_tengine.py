"""The dynamic-upstreams template through the whole product on a real Tengine, where NGXLAB_TEST_TENGINE names one."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.testbed.stack import Stack, registered

REAL = os.environ.get("NGXLAB_TEST_TENGINE")
NODES = 10_000
SHORT = {"blocks": 1, "warmup_s": 0, "cooldown_s": 0, "baseline_s": 2, "churn_s": "6", "recovery_s": 3}

pytestmark = pytest.mark.skipif(REAL is None, reason="NGXLAB_TEST_TENGINE names no Tengine")


@pytest.fixture(scope="module")
def tengine(stack: Stack) -> Iterator[str]:
    binary = str(REAL)
    with registered(stack, Path(binary)):
        yield binary


def _run(stack: Stack, tengine: str, parameters: dict[str, Any]) -> Any:
    """The report of a run whose group changes by few nodes and by hundreds of ten thousand."""
    values = {"changed_nodes": "1, 350", "total_nodes": str(NODES), **SHORT, **parameters}
    body = {"name": "Tengine", "template_key": "dynamic-upstreams", "parameters": values}
    experiment = stack.api("POST", "/experiments", body)
    where = {"host_id": stack.host_id(), "nginx": {"target": tengine}}
    run_id = stack.api("POST", f"/experiments/{experiment['id']}/runs", where)["id"]
    run = stack.wait_for_end(run_id, seconds=300)
    assert run["state"] == "completed", run["state_reason"]
    assert {trial["state"] for trial in run["trials"]} == {"completed"}, run["trials"]
    return stack.api("GET", f"/runs/{run_id}/report")


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("parameters", "is_simulated"),
    [
        ({"through": "tengine"}, False),
        ({"through": "tengine", "health_checks": "compare", "changed_nodes": "350"}, False),
        ({"through": "reload"}, False),
        ({"through": "lua", "lock_us": 0, "lock_check_us": 0}, False),
        ({"through": "lua"}, True),
    ],
    ids=["dyups", "dyups with health checks", "reload", "lua", "lua with a simulated lock"],
)
def test_ten_thousand_nodes_change(
    stack: Stack, tengine: str, parameters: dict[str, Any], *, is_simulated: bool
) -> None:
    report = _run(stack, tengine, parameters)
    assert {arm["nginx_build"]["path"] for arm in report["analysis"]["arms"]} == {tengine}
    for trial in report["trials"]:
        assert trial["summary"]["usable"], trial["summary"]["unusable_reason"]
    assert ("simulated" in {label["key"] for label in report["findings"]["labels"]}) == is_simulated
