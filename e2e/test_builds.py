"""Two builds of nginx compared in the browser, from the start page to the report, in few presses."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from scripts.stack.waiting import wait_until
from scripts.testbed.browser import sign_in
from scripts.testbed.stack import Stack, registered

STOCK = Path("/usr/sbin/nginx")
MOST_CLICKS = 6


@pytest.fixture(scope="module")
def second_build(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A working nginx that calls itself another version, registered by the host's owner; its name."""
    content = STOCK.read_bytes()
    version = re.search(rb"nginx/(\d+\.\d+\.)(\d+)", content)
    assert version is not None
    other = version[1] + b"9" * len(version[2])
    folder = stack.data / "builds"
    folder.mkdir()
    binary = folder / "nginx"
    binary.write_bytes(content.replace(b"nginx/" + version[1] + version[2], b"nginx/" + other))
    binary.chmod(0o755)
    folder.chmod(0o755)
    with registered(stack, binary):
        yield f"nginx-{other.decode()}"


class Presses:
    """Counts what a person presses."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, button: Locator) -> None:
        button.click()
        self.count += 1


@pytest.fixture(params=[1440, 390], ids=["desktop", "phone"])
def page(request: pytest.FixtureRequest, stack: Stack, browser: Browser) -> Iterator[Page]:
    """Signed in, at the start page; a test fails if the page threw anything."""
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    opened = sign_in(context, stack)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    context.close()
    assert problems == []


def test_two_builds_are_compared_in_six_presses_at_most(stack: Stack, page: Page, second_build: str) -> None:
    presses = Presses()
    presses.on(page.get_by_role("link", name="New experiment").first)
    presses.on(page.get_by_role("link", name=re.compile("Compare two nginx builds")))
    builds = page.get_by_role("combobox", name=re.compile("^Build of nginx"))
    expect(builds).to_have_count(2)
    expect(builds.last).to_have_value(second_build)
    presses.on(page.get_by_role("button", name="Save and run"))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("combobox", name=f"Build {second_build}")).to_have_value(re.compile(second_build))
    presses.on(dialog.get_by_role("button", name="Start run"))
    page.wait_for_url(re.compile("/runs/[0-9a-f-]{36}$"), timeout=60_000)
    assert presses.count <= MOST_CLICKS
    _ends_early_with_two_builds(stack, page, second_build)


def _ends_early_with_two_builds(stack: Stack, page: Page, second_build: str) -> None:
    """The plan takes minutes; one block is enough to see that each arm ran its own build."""
    run_id = page.url.rpartition("/")[2]

    def both_ran() -> bool:
        ended = {trial["arm"] for trial in stack.run(run_id)["trials"] if trial["state"] == "completed"}
        return len(ended) == 2

    wait_until(both_ran, "a trial of each arm", 120)
    stack.api("POST", f"/runs/{run_id}/cancel")
    stack.wait_for_end(run_id)
    page.goto(f"{stack.url}/runs/{run_id}/report")
    section = page.locator("section").filter(has=page.get_by_role("heading", name="nginx builds"))
    expect(section.get_by_text(second_build.replace("-", "/"), exact=True).first).to_be_visible()
    expect(section.get_by_text(str(STOCK), exact=True)).to_be_visible()
    report = stack.api("GET", f"/runs/{run_id}/report")
    assert len({arm["nginx_build"]["sha256"] for arm in report["analysis"]["arms"]}) == 2
    environment = next(one for one in report["analysis"]["checks"]["results"] if one["key"] == "environment")
    assert environment["severity"] == "pass", environment
