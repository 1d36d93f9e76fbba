"""Each state keeps the rules of accessibility: dialogs, menus, nothing found, gone; wide and light, narrow and dark."""

import re
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from axe import violations
from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack

pytestmark = pytest.mark.timeout(480)  # forty states, twice

SMALL = {"blocks": 1, "warmup_s": 0, "measure_s": 1, "cooldown_s": 0}
NOWHERE = "00000000-0000-0000-0000-000000000000"
MENU = "[role=menu]"
"""Menus stand outside of all landmarks by design: they are judged by themselves."""

Step = Callable[[Page], None]


def press(name: str) -> Step:
    return lambda page: page.get_by_role("button", name=re.compile(name)).first.click()


def pick(button: str, item: str) -> Step:
    def steps(page: Page) -> None:
        press(button)(page)
        page.get_by_role("menuitem", name=re.compile(item)).click()

    return steps


@pytest.fixture(scope="module")
def run(stack: Stack) -> dict[str, str]:
    """A run that has ended, with one more of its experiment, and what is shared of them."""
    run_id = stack.start_run(**SMALL)
    ended = stack.wait_for_end(run_id)
    experiment = ended["experiment_id"]
    other = stack.api("POST", f"/experiments/{experiment}/runs", {"host_id": stack.host_id()})["id"]
    stack.wait_for_end(other)
    stack.api("POST", f"/runs/{run_id}/notes", {"text": "`dip`", "trial_id": ended["trials"][0]["id"], "t_s": 0.5})
    runs = [run_id, other]
    shared = {
        "report": stack.api("POST", f"/runs/{run_id}/shares", {})["url"],
        "comparison": stack.api("POST", "/compare/shares", {"runs": runs})["url"],
        "trends": stack.api("POST", f"/experiments/{experiment}/trends/shares", {})["url"],
    }
    revoked = stack.api("POST", f"/runs/{run_id}/shares", {})
    stack.api("DELETE", f"/shares/{revoked['id']}")
    return {"id": run_id, "other": other, "experiment": experiment, "revoked": revoked["url"], **shared}


@pytest.fixture(params=["wide", "narrow"])
def page(request: pytest.FixtureRequest, stack: Stack, browser: Browser) -> Iterator[Page]:
    width, scheme = {"wide": (1440, "light"), "narrow": (390, "dark")}[request.param]
    mode: Literal["light", "dark"] = "light" if scheme == "light" else "dark"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=mode, reduced_motion="reduce")
    yield sign_in(context, stack)
    context.close()


def _addresses(run: dict[str, str], host: str) -> list[str]:
    """Pages and their states that an address leads to."""
    return [
        "/experiments?archived=true",
        "/experiments?search=nothing-has-this-name",
        f"/experiments/{run['experiment']}",
        f"/experiments/{run['experiment']}/trends",
        f"/experiments/{NOWHERE}",
        "/runs",
        "/runs?search=nothing-has-this-name",
        f"/runs/{run['id']}?view=run",
        f"/runs/{run['id']}?view=arms",
        f"/runs/{NOWHERE}",
        f"/runs/{NOWHERE}/report",
        "/compare",
        f"/compare?runs={run['id']},{run['other']}",
        "/hosts",
        f"/hosts/{host}",
        "/audit",
        "/account",
        "/account?tab=tokens",
        "/account?tab=notifications",
        "/api-docs",
        "/login?problem=expired",
        run["report"],
        run["comparison"],
        run["trends"],
        run["revoked"],
        f"{run['report']}/charts/requests_per_s",
    ]


def test_addresses_lead_to_states_that_break_no_rule(stack: Stack, page: Page, run: dict[str, str]) -> None:
    addresses = _addresses(run, stack.host_id())
    found = {}
    for address in addresses:
        page.goto(address if address.startswith("http") else f"{stack.url}{address}")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        settle(page)
        found[address] = violations(page)
    assert found == {address: [] for address in addresses}


def _opened(run: dict[str, str]) -> dict[str, tuple[str, Step]]:
    """What opens above a page: where, and by which steps."""
    report = f"/runs/{run['id']}/report"
    return {
        "run": (f"/experiments/{run['experiment']}", press("^Run( again)?$")),
        "deletion of an experiment": (f"/experiments/{run['experiment']}", pick("^More actions", "Delete")),
        "schedule": (f"/experiments/{run['experiment']}", press("New schedule")),
        "import of a definition": ("/experiments/new/blank", pick("^YAML$", "Import")),
        "import of a run": ("/runs", press("Import")),
        "note": (f"/runs/{run['id']}", press("^Add a note$")),
        "edited note": (report, press("^Edit note")),
        "share": (report, press("^Share$")),
        "deletion": (report, pick("^More actions", "Delete")),
        "trial": (report, press("^Details")),
        "host": ("/hosts", press("^Add host$")),
        "person": ("/people", press("^Add person$")),
    }


def test_dialogs_break_no_rule(stack: Stack, page: Page, run: dict[str, str]) -> None:
    dialogs = _opened(run)
    found = {}
    for name, (path, steps) in dialogs.items():
        page.goto(f"{stack.url}{path}")
        settle(page)
        steps(page)
        expect(page.get_by_role("dialog").get_by_role("button", name="Close", exact=True)).to_be_visible()
        settle(page)
        found[name] = violations(page)
    assert found == {name: [] for name in dialogs}


def test_menus_break_no_rule(stack: Stack, page: Page, run: dict[str, str]) -> None:
    page.goto(f"{stack.url}/runs/{run['id']}/report")
    settle(page)
    press("^Export$")(page)
    expect(page.get_by_role("menuitem").first).to_be_visible()
    assert violations(page, MENU) == []
    page.keyboard.press("Escape")
    if page.get_by_role("button", name="Open navigation").is_visible():
        press("Open navigation")(page)
    press("Account and appearance")(page)
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    assert violations(page, MENU) == []


_HIDDEN_FOCUS = """
() => {
  const focused = document.activeElement;
  const { left, top, width, height } = focused.getBoundingClientRect();
  if (focused === document.body || width === 0) return null;
  let hit = document.elementFromPoint(left + width / 2, top + height / 2);
  while (hit && !['sticky', 'fixed'].includes(getComputedStyle(hit).position)) hit = hit.parentElement;
  return hit && !hit.contains(focused) ? focused.outerHTML.slice(0, 200) : null;
}
"""
"""The element that has the focus, where a bar that stays lies over it."""


@pytest.mark.parametrize("path", ["/experiments/new/reuseport", "/experiments/new/blank"])
def test_no_bar_hides_what_has_the_focus(stack: Stack, page: Page, path: str) -> None:
    page.goto(f"{stack.url}{path}")
    settle(page)
    hidden = []
    for key in ["Tab"] * 50 + ["Shift+Tab"] * 50:
        page.keyboard.press(key)
        hidden.append(page.evaluate(_HIDDEN_FOCUS))
    assert set(hidden) == {None}


def test_forced_colours_leave_arms_and_lines_apart(stack: Stack, browser: Browser, run: dict[str, str]) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}, forced_colors="active") as context:
        page = sign_in(context, stack)
        page.goto(f"{stack.url}/runs/{run['id']}/report")
        settle(page)
        arms = page.get_by_role("region", name="Verdict").locator("tbody tr th span[aria-hidden]")
        fills = arms.evaluate_all("marks => marks.map(mark => getComputedStyle(mark).backgroundColor)")
        assert len(set(fills)) == len(fills) == 3
        page.goto(f"{stack.url}/runs/{run['id']}?view=arms")
        chart = page.get_by_role("figure", name=re.compile("^Requests per second,"))
        samples = chart.get_by_role("listitem").locator("path")
        expect(samples).to_have_count(3)
        strokes = samples.evaluate_all("marks => marks.map(mark => getComputedStyle(mark).stroke)")
        assert len(set(strokes)) == 3


def test_a_chart_is_read_by_keys(stack: Stack, browser: Browser, run: dict[str, str]) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = sign_in(context, stack)
        page.goto(f"{stack.url}/runs/{run['id']}?view=arms")
        chart = page.get_by_role("figure", name=re.compile("^Requests per second,"))
        reader = chart.get_by_role("slider", name="Requests per second: values, by arrow keys")
        reader.focus()
        expect(chart.locator(".recharts-reference-line")).to_have_count(1)
        first = reader.get_attribute("aria-valuetext") or ""
        assert re.match(r"at .* s: .* req/s", first)
        page.keyboard.press("ArrowRight")
        expect(reader).not_to_have_attribute("aria-valuetext", first)
        expect(reader).to_have_attribute("aria-valuetext", re.compile(r"^at .* s: .* req/s"))


def test_a_page_whose_code_is_gone_leads_on(stack: Stack, browser: Browser) -> None:
    with browser.new_context() as context:
        page = sign_in(context, stack)
        settle(page)
        page.route("**/assets/HostsPage*", lambda route: route.fulfill(status=404))
        page.get_by_role("link", name="Hosts").click()
        expect(page.get_by_role("alert")).to_contain_text("did not arrive")
        assert violations(page) == []
        page.unroute("**/assets/HostsPage*")
        page.get_by_role("button", name="Reload").click()
        expect(page.get_by_role("heading", level=1, name="Hosts")).to_be_visible()
