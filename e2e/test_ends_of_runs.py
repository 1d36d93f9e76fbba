"""Runs that end when they are decided, and completed ones to which somebody adds blocks."""

import re
from copy import deepcopy
from typing import Any

import pytest
import yaml
from page_looks import show, violations
from playwright.sync_api import Browser, expect

from scripts.paths import ROOT
from scripts.stack.waiting import wait_until
from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack

EXAMPLE: dict[str, Any] = yaml.safe_load((ROOT / "examples" / "gzip-levels.yaml").read_text(encoding="utf-8"))
del EXAMPLE["name"]
SHORT = {"warmup_s": 0.2, "measure_s": 1, "cooldown_s": 0}


def _completed(stack: Stack, definition: dict[str, Any]) -> Any:
    experiment = stack.api("POST", "/experiments", {"name": "Ends of runs", "definition": definition})
    where = {"host_id": stack.host_id(), "seed": 7}
    run_id = stack.api("POST", f"/experiments/{experiment['id']}/runs", where)["id"]
    stack.completed(run_id, seconds=240)
    wait_until(lambda: stack.run(run_id)["headline"] is not None, "the verdict", seconds=60)
    return stack.run(run_id)


def _that_differ() -> dict[str, Any]:
    """Compression costs several times what the rest of an answer does."""
    definition = deepcopy(EXAMPLE)
    levels = definition["factors"][0]["levels"]
    definition["factors"][0]["levels"] = [level for level in levels if level["key"] in {"off", "most"}]
    rule = {"kind": "decided", "max_blocks": 9}
    return definition | {"plan": {**SHORT, "blocks": 5, "primary": ["requests_per_s"], "stop": rule}}


def _that_do_not() -> dict[str, Any]:
    """The level of a compression that is off, under a light load: two blocks decide nothing."""
    definition = deepcopy(EXAMPLE)
    for level in definition["factors"][0]["levels"]:
        level["variables"]["gzip"] = "off"
    (stream,) = definition["streams"]
    del stream["threads"], stream["paths"]
    stream |= {"engine": "open-loop", "connections": 4, "path": "/pages/0", "open_loop": {"rate_per_s": 200}}
    return definition | {"plan": {**SHORT, "blocks": 2, "primary": ["latency_p50_us"]}}


@pytest.mark.timeout(300)
def test_a_run_ends_at_the_look_at_which_nothing_is_open(stack: Stack) -> None:
    run = _completed(stack, _that_differ())
    assert (run["plan"]["blocks"], len(run["trials"])) == (5, 10)
    assert run["state_reason"]["text"] == "Ended after block 5 of at most 9: no primary question is open."
    headline = stack.api("GET", f"/runs/{run['id']}/report")["analysis"]["headline"]
    assert "Ended by its stop rule after block 5 of at most 9" in str(headline)


@pytest.mark.timeout(400)
def test_somebody_adds_the_blocks_that_a_report_asks_for(stack: Stack, browser: Browser) -> None:
    run = _completed(stack, _that_do_not())
    with browser.new_context(reduced_motion="reduce") as context:
        page = sign_in(context, stack)
        show(page, ("phone", "dark"))
        page.goto(f"{stack.url}/runs/{run['id']}/report")
        settle(page)
        page.get_by_role("button", name="Add blocks").click()
        form = page.get_by_role("dialog").get_by_role("form", name="Add blocks")
        more = form.get_by_label("More blocks")
        expect(more).to_have_value(str(min(run["more_blocks"] or 2, 98)))
        more.fill("1")
        expect(form.get_by_text("3 blocks in all")).to_be_visible()
        assert violations(page, '[role="dialog"]') == []
        form.get_by_role("button", name="Add blocks").click()
        page.wait_for_url(re.compile(rf"/runs/{run['id']}$"))
        ended = stack.completed(run["id"], seconds=120)
    assert (ended["plan"]["blocks"], len(ended["trials"])) == (3, 12)
    assert [trial["id"] for trial in ended["trials"]][:8] == [trial["id"] for trial in run["trials"]]
    said = stack.api("GET", f"/runs/{run['id']}/report")["analysis"]["qualification"]
    assert "what was decided after block 2 stands" in str(said)
