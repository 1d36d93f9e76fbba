"""What comes between a reader and a page, the end of a session or another version, has no faults and loses nothing."""

from collections.abc import Iterator

import pytest
from page_looks import ALL, faults, show
from playwright.sync_api import Browser, Page, Route, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack


@pytest.fixture
def page(stack: Stack, browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        yield sign_in(context, stack)


def test_a_session_that_ends_is_renewed_over_the_page(stack: Stack, page: Page, run: dict[str, str]) -> None:
    page.goto(f"{stack.url}/runs/{run['id']}")
    settle(page)
    page.get_by_role("button", name="Add a note", exact=True).first.click()
    note = page.get_by_role("dialog", name="Add a note")
    note.get_by_role("textbox", name="Note").fill("Half a sentence")
    page.context.clear_cookies()
    note.get_by_role("button", name="Add the note").click()
    again = page.get_by_role("dialog", name="Your session has ended")
    expect(again.get_by_label("Password", exact=True)).to_be_focused()
    assert faults(page, "[role=dialog]:has([type=password])") == []
    show(page, ALL[0])
    expect(again.get_by_label("Password", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.type(stack.admin_password)
    page.keyboard.press("Enter")
    expect(again).to_be_hidden()
    expect(note.get_by_role("textbox", name="Note")).to_have_value("Half a sentence")
    note.get_by_role("button", name="Add the note").click()
    expect(note).to_be_hidden()
    expect(page.get_by_text("Half a sentence")).to_be_visible()


def test_a_newer_version_is_offered_without_faults(stack: Stack, page: Page, run: dict[str, str]) -> None:
    newer = '<script type="module" src="/assets/of-tomorrow.js"></script>'
    page.route("**/login", lambda route: route.fulfill(status=200, content_type="text/html", body=newer))
    page.goto(f"{stack.url}/runs/{run['id']}")
    expect(page.get_by_text("A newer version of ngxlab was installed.")).to_be_visible()
    assert faults(page) == []


def test_a_page_whose_code_is_gone_leads_on(stack: Stack, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        page = sign_in(context, stack)
        settle(page)
        page.route("**/assets/HostsPage*", lambda route: route.fulfill(status=404))
        page.get_by_role("link", name="Hosts").click()
        expect(page.get_by_role("alert")).to_contain_text("did not arrive")
        assert faults(page) == []
        page.unroute("**/assets/HostsPage*")
        page.get_by_role("button", name="Reload").click()
        expect(page.get_by_role("heading", level=1, name="Hosts")).to_be_visible()


def test_a_network_that_changes_loses_no_page(stack: Stack, page: Page) -> None:
    """Browsers drop each request on its way then, and may call themselves offline, with a server on this machine."""
    settle(page)
    dropped: set[str] = set()

    def drop_once(route: Route) -> None:
        if route.request.url in dropped:
            route.continue_()
        else:
            dropped.add(route.request.url)
            route.abort("internetdisconnected")

    page.route("**/assets/TemplatePage*", drop_once)
    page.route("**/api/v1/templates/*/preview", drop_once)
    page.evaluate("() => window.dispatchEvent(new Event('offline'))")
    page.get_by_role("link", name="New experiment").first.click()
    page.get_by_role("link", name="Socket sharding").first.click()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    assert {url.rpartition(".")[2] for url in dropped if "/assets/" in url} == {"js", "css"}
    assert page.evaluate("() => [...document.querySelectorAll('link[rel=stylesheet]')].every(link => link.sheet)")
