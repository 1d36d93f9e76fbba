"""Each page and state keeps the rules of accessibility and leaves no number out of sight, in two looks or four.

Dialogs, menus, nothing found, gone, on its way, failed; README.md says what is judged elsewhere.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urljoin

import pytest
from page_looks import ALL, OPPOSITE, SIZES, Look, faults, out_of_sight, show, violations
from playwright.sync_api import Browser, Page, Route, expect

from scripts.testbed.browser import settle, sign_in, still
from scripts.testbed.stack import Stack

pytestmark = pytest.mark.timeout(480)  # many states, each in several looks

NOWHERE = "00000000-0000-0000-0000-000000000000"
MENU = "[role=menu]"
"""Menus stand outside of all landmarks by design: they are judged by themselves."""

Step = Callable[[Page], None]


def press(*names: str) -> Step:
    def steps(page: Page) -> None:
        for name in names:
            page.get_by_role("button", name=re.compile(name)).first.click()

    return steps


def pick(button: str, item: str) -> Step:
    def steps(page: Page) -> None:
        press(button)(page)
        page.get_by_role("menuitem", name=re.compile(item)).click()

    return steps


def _page(stack: Stack, browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        yield sign_in(context, stack)


page = pytest.fixture(_page)
person = pytest.fixture(_page, scope="module")


@pytest.fixture
def visitor(person: Page) -> Page:
    """Somebody who goes from page to page and changes nothing."""
    person.goto("about:blank")
    show(person, ALL[0])
    return person


@pytest.fixture(params=SIZES)
def sized(request: pytest.FixtureRequest, page: Page) -> Page:
    width, height = SIZES[request.param]
    page.set_viewport_size({"width": width, "height": height})
    return page


ADDRESSES = {
    "/experiments": "Active",
    "/experiments?show=archived": "No matches",
    "/experiments?q=nothing-has-this-name": "No matches",
    "/experiments/new": "Socket sharding",
    "/experiments/new/reuseport": "Quick look",
    "/experiments/new?about=nothing-is-about-this": "No question is about these words",
    "/experiments/new/recipes/gzip-levels": "What should happen",
    "/experiments/new/own": "Your configuration",
    "/experiments/new/blank": "Factors",
    "/experiments/{experiment}": "Trends",
    "/experiments/{experiment}/trends": "Choose another with the slider",
    f"/experiments/{NOWHERE}": "All experiments",
    "/runs": "Import a run",
    "/runs?state=completed": "Fewer filters",
    "/runs?search=nothing-has-this-name": "No matches",
    "/runs/{id}?view=trial": "One trial",
    "/runs/{id}?view=run": "Whole run",
    "/runs/{id}?view=arms": "Arms overlaid",
    "/runs/{id}/report?pin=0.5&range=0..0.5": "Pinned",
    f"/runs/{NOWHERE}": "All runs",
    f"/runs/{NOWHERE}/report": "All runs",
    "/compare": "Choose two runs to compare",
    "/compare?runs={id},{other}": "What differs in set-up",
    "/hosts": "Add host",
    "/hosts/{host}": "Kernel",
    "/audit": "Export",
    "/account": "Password",
    "/account?tab=passkeys": "address with a name",
    "/account?tab=sessions": "this browser",
    "/account?tab=tokens": "token",
    "/account?tab=notifications": "webhook",
    "/api-docs": "GET",
    "/people": "Add person",
    "/storage": "Raw data",
    "/nothing-is-here": "Page not found",
    "/sample": "A sample. This run was measured on",
    "{report}": "As of",
    "{comparison}": "As of",
    "{trends}": "As of",
    "{revoked}": "was revoked, or has expired",
    "{report}/charts/requests_per_s": "Requests per second",
}
"""Pages and their states that an address leads to, each with words by which one knows that it did."""
MAIN = (
    "/experiments/new/blank",
    "/experiments/{experiment}/trends",
    "/runs",
    "/runs/{id}?view=arms",
    "/runs/{id}/report?pin=0.5&range=0..0.5",
    "/compare?runs={id},{other}",
)
"""Judged in all four looks; the others, and what opens above a page, are of the same parts: two opposite ones do."""


@pytest.mark.parametrize(("address", "words"), ADDRESSES.items(), ids=[one.partition(" ")[0] for one in ADDRESSES])
def test_addresses_lead_to_states_without_faults(
    stack: Stack, visitor: Page, run: dict[str, str], address: str, words: str
) -> None:
    visitor.goto(urljoin(stack.url, address.format(**run)))
    expect(visitor.get_by_role("heading", level=1)).to_have_count(1)
    settle(visitor)
    expect(visitor.get_by_text(words).first).to_be_attached()
    assert faults(visitor, looks=ALL if address in MAIN else OPPOSITE) == []


OPENED: dict[str, tuple[str, Step]] = {
    "run": ("/experiments/{experiment}", press("^Run( again)?$")),
    "schedule": ("/experiments/{experiment}", press("New schedule")),
    "deletion of an experiment": ("/experiments/{experiment}", pick("^More actions", "Delete")),
    "import of a definition": ("/experiments/new/blank", pick("^YAML$", "Import")),
    "import of a run": ("/runs", press("Import")),
    "note": ("/runs/{id}", press("^Add a note$")),
    "edited note": ("/runs/{id}/report", press("^Edit note")),
    "share": ("/experiments/{experiment}/trends", press("^Share$")),
    "deletion": ("/runs/{id}", pick("^More actions", "Delete")),
    "trial": ("/runs/{id}/report", press("^Open all sections$", "^Details")),
    "embedding": ("{report}", press("^Open all sections$", "^Embed the chart")),
    "host": ("/hosts", press("^Add host$")),
    "history of a host": ("/hosts/{host}", press("^Delete history$")),
    "person": ("/people", press("^Add person$")),
}
"""What opens above a page: where, and by which steps."""


@pytest.mark.parametrize("name", OPENED)
def test_dialogs_have_no_faults(stack: Stack, visitor: Page, run: dict[str, str], name: str) -> None:
    path, steps = OPENED[name]
    visitor.goto(urljoin(stack.url, path.format(**run)))
    settle(visitor)
    steps(visitor)
    expect(visitor.get_by_role("dialog").get_by_role("button", name="Close", exact=True)).to_be_visible()
    settle(visitor)
    assert faults(visitor, "[role=dialog]", looks=OPPOSITE) == []


def test_the_palette_has_no_faults_and_leads_on_by_the_keyboard(stack: Stack, visitor: Page) -> None:
    visitor.goto(f"{stack.url}/runs")
    settle(visitor)
    visitor.keyboard.press("Control+k")
    palette = visitor.get_by_role("dialog")
    search = palette.get_by_role("textbox", name="Find or do")
    expect(search).to_be_focused()
    settle(visitor)
    assert faults(visitor, "[role=dialog]", looks=OPPOSITE) == []
    search.fill("go to hosts")
    expect(palette.get_by_role("button")).to_have_count(1)
    visitor.keyboard.press("ArrowDown")
    visitor.keyboard.press("Enter")
    visitor.wait_for_url("**/hosts")
    expect(palette).to_be_hidden()


FETCHING = ["/experiments", "/runs", "/hosts", "/runs/{id}", "/runs/{id}/report", "/compare?runs={id},{other}"]


def _of_data(url: str) -> bool:
    return "/api/v1/" in url and "/auth/" not in url


def test_pages_on_their_way_have_no_faults(stack: Stack, page: Page, run: dict[str, str]) -> None:
    page.route(_of_data, lambda _: None)  # no answer ever comes
    found = {}
    for address in FETCHING:
        show(page, ALL[0])
        page.goto(f"{stack.url}{address.format(**run)}")
        page.get_by_role("navigation").first.wait_for()  # who looks is known
        page.locator(".mantine-Skeleton-root").first.wait_for()
        found[address] = faults(page, wait=lambda _: None, looks=OPPOSITE)
    assert found == {address: [] for address in FETCHING}


def test_pages_that_fail_have_no_faults(stack: Stack, page: Page, run: dict[str, str]) -> None:
    def fail(route: Route) -> None:
        route.fulfill(status=500, content_type="application/problem+json", body='{"detail": "The disk is full."}')

    page.route(_of_data, fail)
    found = {}
    for address in FETCHING:
        page.goto(f"{stack.url}{address.format(**run)}")
        expect(page.get_by_text("The disk is full.").first).to_be_visible()
        found[address] = faults(page, looks=OPPOSITE)
    assert found == {address: [] for address in FETCHING}


@pytest.mark.parametrize("look", OPPOSITE, ids="-".join)
def test_menus_break_no_rule(stack: Stack, visitor: Page, run: dict[str, str], look: Look) -> None:
    show(visitor, look)
    visitor.goto(f"{stack.url}/runs/{run['id']}/report")
    for button in ("^Export$", "^More actions"):
        press(button)(visitor)
        expect(visitor.get_by_role("menuitem").first).to_be_visible()
        still(visitor)
        assert violations(visitor, MENU) == []
        visitor.keyboard.press("Escape")
        expect(visitor.get_by_role("menuitem")).to_have_count(0)


def test_who_chooses_dark_and_chinese_finds_no_faults(stack: Stack, sized: Page, run: dict[str, str]) -> None:
    sized.goto(f"{stack.url}/runs/{run['id']}/report")
    settle(sized)
    if sized.get_by_role("button", name="Open navigation").is_visible():
        press("Open navigation")(sized)
    press("Account and appearance")(sized)
    for scheme in ("Light", "Dark"):
        sized.get_by_role("menuitemradio", name=scheme).click()
        expect(sized.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme.lower())
        still(sized)
        assert violations(sized, MENU) == []
    with _in_chinese(sized):
        found = {}
        for address in ("/runs/{id}/report", "/runs", "/compare?runs={id},{other}", "/experiments/{experiment}/trends"):
            sized.goto(f"{stack.url}{address.format(**run)}")
            settle(sized)
            found[address] = [*violations(sized), *out_of_sight(sized)]
    assert found == {address: [] for address in found}


@contextmanager
def _in_chinese(page: Page) -> Iterator[None]:
    """From the open menu. The choice goes with the account, which other tests have, too."""
    page.get_by_role("menuitemradio", name="简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    try:
        yield
    finally:
        assert page.evaluate(_CHOOSE_ENGLISH) == 204


_CHOOSE_ENGLISH = """
async () => {
  const me = await (await fetch('/api/v1/auth/me')).json();
  const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': me.csrf_token };
  const body = JSON.stringify({ language: 'en' });
  return (await fetch('/api/v1/auth/language', { method: 'PUT', headers, body })).status;
}
"""

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
def test_no_bar_hides_what_has_the_focus(stack: Stack, sized: Page, path: str) -> None:
    page = sized
    page.goto(f"{stack.url}{path}")
    settle(page)
    hidden = []
    for key in ["Tab"] * 50 + ["Shift+Tab"] * 50:
        page.keyboard.press(key)
        hidden.append(page.evaluate(_HIDDEN_FOCUS))
    assert set(hidden) == {None}
