"""docs/checks.md says what the code declares."""

from pathlib import Path

import pytest
from analysis.check_results import DECLARATIONS
from ngxlab.analysis.checks import declarations
from ngxlab.analysis.checks.document import updated

DOCUMENT = Path(__file__).parents[4] / "docs" / "checks.md"


def test_the_document_is_current() -> None:
    remedy = "python -m ngxlab.analysis.checks.document docs/checks.md"
    assert DOCUMENT.read_text() == updated(DOCUMENT.read_text()), remedy


def test_keys_and_numbers_are_unique() -> None:
    checks = declarations()
    assert len(DECLARATIONS) == len(checks)
    numbers = [check.number for check in checks if check.number]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_document_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a line"):
        updated("# Checks\n")


@pytest.mark.parametrize("key", DECLARATIONS)
def test_declared_sentences_are_whole(key: str) -> None:
    check = DECLARATIONS[key]
    for text in (check.rule, check.data, check.voids, check.source):
        assert text.endswith(".")
    assert check.remedies
    assert check.results
    assert not any(one.how.endswith(".") for one in check.results.values()), "a cell of a table"
