"""Sign-in at a real provider in a browser, with the role that the provider's groups give."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ngxlab_worker.nginx.ports import free_ports
from page_looks import faults, violations
from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.oidc import CLIENT_ID, CLIENT_SECRET, oidc_provider
from scripts.testbed.stack import Stack, running_stack

pytestmark = pytest.mark.timeout(300)  # it starts an installation of its own

PEOPLE = {"ada": {"email": "Ada@example.org", "email_verified": True, "groups": ["perf"]}}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An installation with a provider, whose secret is in a file."""
    secret: Path = tmp_path_factory.mktemp("oidc") / "secret"
    secret.write_text(CLIENT_SECRET + "\n")
    for folder in (secret, *secret.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755 if folder.is_dir() else 0o644)  # the backend runs as another user
    [port] = free_ports(1, "127.0.0.1")
    with (
        oidc_provider(f"http://127.0.0.1:{port}/api/v1/auth/oidc/callback", PEOPLE) as provider,
        running_stack(
            NGXLAB_PORT=str(port),
            NGXLAB_OIDC_ISSUER=provider.issuer,
            NGXLAB_OIDC_CLIENT_ID=CLIENT_ID,
            NGXLAB_OIDC_CLIENT_SECRET_FILE=str(secret),
            NGXLAB_OIDC_LABEL="Example",
            NGXLAB_OIDC_ROLE_CLAIM="groups",
            NGXLAB_OIDC_EXPERIMENTERS="perf",
        ) as running,
    ):
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def _to_consent(page: Page, stack: Stack) -> None:
    """From a page that needs an account over the sign-in page to the provider, and through its login."""
    page.goto(f"{stack.url}/hosts")
    page.get_by_role("link", name="Sign in with Example").click()
    page.get_by_placeholder("Enter any login").fill("ada")
    page.get_by_placeholder("and password").fill("any")
    page.get_by_role("button", name="Sign-in").click()


def test_the_provider_leads_back_to_the_page_that_was_asked_for(stack: Stack, page: Page) -> None:
    _to_consent(page, stack)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(f"{stack.url}/hosts")
    expect(page.get_by_text("ada@example.org")).to_be_visible()
    expect(page.get_by_text("experimenter", exact=True)).to_be_visible()
    page.get_by_role("button", name="Account and appearance").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in with Example")).to_be_visible()


def test_refused_consent_is_told_on_the_sign_in_page(stack: Stack, page: Page) -> None:
    _to_consent(page, stack)
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("alert")).to_contain_text("refused at the provider")
    settle(page)
    assert faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_audit_log_says_who_came(stack: Stack, browser: Browser, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = sign_in(context, stack)
    page.get_by_role("link", name="Audit log").click()
    page.get_by_label("Who", exact=True).fill("ada")
    page.wait_for_url("**/audit?actor=ada")
    expect(page.get_by_role("row").filter(has_text="Signed in").first).to_contain_text("provider")
    settle(page)
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
        page.get_by_role("menuitem", name="Matching entries as CSV").click()
    assert "signed-in" in download.value.path().read_text()
    context.close()
