"""One whole installation, and one browser, for all end-to-end tests of a session."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from scripts.testbed.browser import chromium
from scripts.testbed.stack import Stack, running_stack

LONGEST_FIRST = ("fleet", "states", "links", "command_line", "crashes", "wheels", "storm", "templates")
"""Files that take minutes: two processes share the files, and none should begin with a long one when the other ends."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        name = item.path.stem.removeprefix("test_")
        return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)

    items.sort(key=rank)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with running_stack() as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running
