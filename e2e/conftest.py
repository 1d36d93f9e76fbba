"""One whole installation, and one browser, for all end-to-end tests of a session."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from scripts.testbed.browser import chromium
from scripts.testbed.stack import Stack, running_stack


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with running_stack() as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running
