"""One whole installation, and one browser, for all end-to-end tests of a session."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from scripts.testbed.browser import chromium
from scripts.testbed.stack import Stack, running_stack

LONGEST_FIRST = ("fleet", "states", "links", "command_line", "crashes", "wheels", "storm", "templates")
"""Files that take minutes: two processes share the files, and none should begin with a long one when the other ends."""

_SMALL = {"blocks": 1, "warmup_s": 0, "measure_s": 2, "cooldown_s": 0}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        name = item.path.stem.removeprefix("test_")
        return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)

    items.sort(key=rank)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with running_stack() as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def run(stack: Stack) -> dict[str, str]:
    """A run that has ended, with one more of its experiment, and what is shared of them."""
    run_id = stack.start_run(**_SMALL)
    ended = stack.wait_for_end(run_id)
    experiment = ended["experiment_id"]
    other = stack.api("POST", f"/experiments/{experiment}/runs", {"host_id": stack.host_id()})["id"]
    stack.wait_for_end(other)
    moment = {"trial_id": ended["trials"][0]["id"], "t_s": 0.5}
    for note in ({"text": "## Why\n\n- a **backup**, see [log](https://example.org)"}, {"text": "`dip`", **moment}):
        stack.api("POST", f"/runs/{run_id}/notes", note)
    runs = [run_id, other]
    shared = {
        "report": stack.api("POST", f"/runs/{run_id}/shares", {})["url"],
        "comparison": stack.api("POST", "/compare/shares", {"runs": runs})["url"],
        "trends": stack.api("POST", f"/experiments/{experiment}/trends/shares", {})["url"],
    }
    revoked = stack.api("POST", f"/runs/{run_id}/shares", {})
    stack.api("DELETE", f"/shares/{revoked['id']}")
    return {
        "id": run_id,
        "other": other,
        "experiment": experiment,
        "revoked": revoked["url"],
        **shared,
        "host": stack.host_id(),
    }
