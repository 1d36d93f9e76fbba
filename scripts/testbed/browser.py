"""Debian's Chromium, headless, driven by Playwright."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from scripts.testbed.stack import Stack

CHROMIUM = "/usr/bin/chromium"
# Without these flags Chromium sends requests of its own at every start.
_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
expect.set_options(timeout=60_000)  # a busy machine is slow; what never comes is noticed all the same


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, whose contexts share nothing."""
    flags = [*_FLAGS, "--no-sandbox"] if os.getuid() == 0 else _FLAGS
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=flags)
        yield browser
        browser.close()


def sign_in(context: BrowserContext, stack: Stack) -> Page:
    page = context.new_page()
    page.goto(f"{stack.url}/")
    page.get_by_label("E-mail").fill(stack.admin_email)
    page.get_by_label("Password", exact=True).fill(stack.admin_password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/experiments")
    return page


def settle(page: Page) -> None:
    """Wait until nothing is loading or moving, and no placeholder is left."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => !document.querySelector('.mantine-Skeleton-root')")
    still(page)


def still(page: Page) -> None:
    """Wait until nothing moves: also of a page that is told news all the time."""
    page.wait_for_function("() => !document.querySelector('[data-mantine-stop-transition]')")
    page.wait_for_function(
        "() => document.getAnimations().every(one => one.playState !== 'running'"
        " || one.effect?.getComputedTiming().iterations === Infinity)"
    )
