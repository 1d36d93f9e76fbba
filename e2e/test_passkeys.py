"""A passkey in a browser: added, asked for at sign-in, and again for a link when the session alone is not enough."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import asyncpg
import pytest
from ngxlab_worker.nginx.ports import free_ports
from page_looks import ALL, faults, show
from playwright.sync_api import Browser, CDPSession, Page, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack, running_stack

pytestmark = pytest.mark.timeout(480)  # it starts an installation of its own


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """An installation whose address has a name: browsers have no passkeys for others."""
    [port] = free_ports(1, "127.0.0.1")
    with running_stack(NGXLAB_PORT=str(port), NGXLAB_PUBLIC_URL=f"http://localhost:{port}") as running:
        yield replace(running, url=f"http://localhost:{port}")


@pytest.fixture
def page(stack: Stack, browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        yield sign_in(context, stack)


@pytest.fixture
def device(page: Page) -> tuple[CDPSession, str]:
    """A device of the person, which says that they agree; and its id."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options: dict[str, Any] = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


def _used(device: tuple[CDPSession, str]) -> int:
    """How often its only key has signed."""
    session, authenticator = device
    [key] = session.send("WebAuthn.getCredentials", {"authenticatorId": authenticator})["credentials"]
    count: int = key["signCount"]
    return count


def _forget_confirmations(stack: Stack) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(stack.database_url())
        await connection.execute("UPDATE login_session SET confirmed_at = now() - interval '11 minutes'")
        await connection.close()

    with ThreadPoolExecutor(1) as aside:  # this thread has the loop of the browser
        aside.submit(asyncio.run, run()).result()


def test_from_a_password_to_a_passkey_and_a_link(stack: Stack, page: Page, device: tuple[CDPSession, str]) -> None:
    run_id = stack.start_run(blocks=1, warmup_s=0, measure_s=2, cooldown_s=0)
    page.goto(f"{stack.url}/account?tab=passkeys")
    expect(page.get_by_text("No passkeys")).to_be_visible()
    settle(page)
    assert faults(page) == []
    page.get_by_label("Name").fill("This laptop")
    page.get_by_label("Current password").fill(stack.admin_password)
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_role("row").filter(has_text="This laptop")).to_contain_text("never")
    expect(page.get_by_label("Current password")).to_be_hidden()
    settle(page)
    assert faults(page) == []

    show(page, ALL[0])
    page.get_by_role("button", name="Account and appearance").click()
    page.get_by_role("menuitem", name="Sign out").click()
    before = _used(device)
    page.get_by_label("E-mail").fill(stack.admin_email)
    page.get_by_label("Password", exact=True).fill(stack.admin_password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="Experiments").first).to_be_visible()
    assert _used(device) == before + 1

    stack.wait_for_end(run_id)
    _forget_confirmations(stack)
    page.goto(f"{stack.url}/runs/{run_id}/report")
    page.get_by_role("button", name="Share").first.click()
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_role("dialog").get_by_text("/shared/").first).to_be_visible()
    assert _used(device) == before + 2

    page.goto(f"{stack.url}/account?tab=passkeys")
    expect(page.get_by_role("row").filter(has_text="This laptop")).not_to_contain_text("never")
