"""Sets of files in a definition: what they contain, how large they are, and what is wrong with them."""

from typing import Any

import pytest
from definition.definitions import sound
from ngxlab.definition.preview.definition import preview_of
from ngxlab.definition.validation import validate

LOGNORMAL = {"kind": "lognormal", "median_bytes": 10_000, "sigma": 1.0, "max_bytes": 100_000}


def with_files(**changes: Any) -> dict[str, Any]:
    raw = sound()
    raw["nginx"].pop("cold_files", None)
    raw["nginx"]["files"] = [{"folder": "pages", "count": 10, **changes}]
    return raw


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({}, "size_bytes", "either size_bytes or sizes"),
        ({"size_bytes": 1, "sizes": LOGNORMAL}, "size_bytes", "either size_bytes or sizes"),
        ({"size_bytes": 1, "content": "html", "compression_ratio": 3.0}, "compression_ratio", "only for content: text"),
        ({"sizes": {"kind": "uniform", "min_bytes": 9, "max_bytes": 8}}, "sizes.max_bytes", "less than min_bytes"),
        ({"sizes": {"kind": "pareto"}}, "sizes.kind", "must be one of"),
        ({"sizes": {"kind": "list", "sizes": []}}, "sizes.sizes", "at least 1"),
    ],
)
def test_what_is_wrong_stands_at_its_field(changes: dict[str, Any], field: str, said: str) -> None:
    problems = {problem.field: problem.message for problem in validate(with_files(**changes)).problems}
    assert said in problems[f"nginx.files.0.{field}"]


def test_the_space_that_files_need_is_that_of_their_sizes() -> None:
    shares = [{"size_bytes": 1000, "weight": 4}, {"size_bytes": 6000}]
    sizes = {"kind": "list", "sizes": shares}
    preview = preview_of(validate(with_files(sizes=sizes)))
    assert {slot.slot: slot.files_bytes for slot in preview.slots}["target"] == 8 * 1000 + 2 * 6000
