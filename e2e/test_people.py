"""A new person gets in with a one-time password, has their own from then on, and is out when it is reset."""

import re

from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import sign_in
from scripts.testbed.stack import Stack

_EMAIL = "jane.doe@example.org"


def _enter(page: Page, password: str) -> None:
    page.get_by_label("E-mail").fill(_EMAIL)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()


def _replace(page: Page, new: str) -> None:
    """The one-time password, which was typed to sign in and is not asked for again."""
    page.get_by_label("New password", exact=True).fill(new)
    page.get_by_label("Repeat new password").fill(new)
    page.get_by_role("button", name="Change password").click()


def _password_shown(page: Page) -> str:
    dialog = page.get_by_role("dialog", name="One-time password")
    password = dialog.locator("code").inner_text()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    return password


def test_from_a_one_time_password_to_a_reset(stack: Stack, browser: Browser) -> None:
    administrator = sign_in(browser.new_context(), stack)
    administrator.get_by_role("link", name="People").click()
    administrator.get_by_role("button", name="Add person").click()
    administrator.get_by_label("E-mail").fill(_EMAIL)
    administrator.get_by_role("button", name="Create account").click()
    given = _password_shown(administrator)

    person = browser.new_context().new_page()
    person.goto(f"{stack.url}/runs")
    _enter(person, given)
    person.wait_for_url("**/new-password?next=%2Fruns")
    _replace(person, "password12")
    expect(person.get_by_text(re.compile("common password"))).to_be_visible()
    _replace(person, "lorem tractor 49 sunset")
    person.wait_for_url("**/runs")
    person.goto(f"{stack.url}/account?tab=sessions")
    expect(person.get_by_text("this browser")).to_be_visible()

    administrator.get_by_role("link", name=_EMAIL).click()
    expect(administrator.get_by_text("Chrome on Linux")).to_be_visible()
    administrator.get_by_role("button", name="Reset password").click()
    administrator.get_by_role("dialog").get_by_role("button", name="Reset password").click()
    given = _password_shown(administrator)
    expect(administrator.get_by_text("No browser is signed in.")).to_be_visible()
    person.goto(f"{stack.url}/runs")
    person.wait_for_url("**/login?next=%2Fruns")
    _enter(person, "lorem tractor 49 sunset")
    expect(person.get_by_text("The e-mail address or the password is wrong.")).to_be_visible()
    _enter(person, given)
    person.wait_for_url("**/new-password?next=%2Fruns")
    for page in (administrator, person):
        page.context.close()
