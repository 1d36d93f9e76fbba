"""One whole installation, and one browser, for all end-to-end tests of a session."""

from collections.abc import Generator, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response

from scripts.testbed.browser import chromium
from scripts.testbed.stack import Stack, running_stack

LONGEST_FIRST = ("fleet", "states", "links", "live_page", "crashes", "command_line", "designer", "templates", "wheels")
"""Files that take minutes: the processes share the files, and none should begin with a long one when the others end."""

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


_missed: list[str] = []
"""Requests of this test's pages that failed or that the server refused."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        new_context = running.new_context

        def watched(**options: Any) -> BrowserContext:
            context = new_context(**options)
            context.on("requestfailed", lambda one: _missed.append(f"{one.method} {one.url}: {one.failure}"))
            context.on("response", _note_refusal)
            return context

        running.new_context = watched  # type: ignore[method-assign]
        yield running


def _note_refusal(answer: Response) -> None:
    if answer.status >= 400:
        _missed.append(f"{answer.request.method} {answer.url}: HTTP {answer.status}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Beside a failure stands what its pages showed and did not get: the element that is missing seldom tells why."""
    report = yield
    if call.when == "setup":
        _missed.clear()
    elif report.failed:
        report.sections.append(("what the browser did not get", "\n".join(_missed[-30:]) or "nothing"))
        pages = [one for one in getattr(item, "funcargs", {}).values() if isinstance(one, Page) and not one.is_closed()]
        report.sections.extend(("what the page shows", page.locator("body").inner_text()[:3000]) for page in pages)
        report.sections.extend(("errors of the backend", _errors(stack)) for stack in _stacks(item))
    return report


def _stacks(item: pytest.Item) -> list[Stack]:
    fixtures = getattr(item, "funcargs", {}).values()
    values = [value for fixture in fixtures for value in (fixture if isinstance(fixture, tuple) else (fixture,))]
    return [value for value in values if isinstance(value, Stack)]


def _errors(stack: Stack) -> str:
    lines = (stack.data / "logs" / "backend.log").read_text(errors="replace").splitlines()
    return "\n".join(line[:4000] for line in lines if '"level": "error"' in line or "Traceback" in line)[-12_000:]


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
