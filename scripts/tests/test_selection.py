"""The part of the OpenAPI document that the command line's models are generated from."""

from typing import Any

import pytest

from scripts.console import Failure
from scripts.generate_clients.python import select

DOCUMENT: dict[str, Any] = {
    "components": {
        "schemas": {
            "lab__hosts__Host": {
                "properties": {
                    "name": {"type": "string", "maxLength": 60, "title": "Name"},
                    "state": {"$ref": "#/components/schemas/State"},
                    "run": {"anyOf": [{"$ref": "#/components/schemas/Run"}, {"type": "null"}]},
                    "unused": {"$ref": "#/components/schemas/Run"},
                },
                "required": ["name", "state", "unused"],
            },
            "State": {"enum": ["idle", "busy"], "type": "string"},
            "Run": {"properties": {"id": {"type": "string", "format": "uuid"}}, "required": ["id"]},
        }
    }
}


def test_only_listed_fields_are_kept_and_values_are_not_limited() -> None:
    selected = select(DOCUMENT, {"lab__hosts__Host": ["name", "state", "run"], "Run": ["id"]})
    assert selected["$defs"]["Host"] == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "state": {"type": "string"},
            "run": {"anyOf": [{"$ref": "#/$defs/Run"}, {"type": "null"}]},
        },
        "required": ["name", "state"],
    }


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"Ghost": ["id"]}, "the API has no schema Ghost"),
        ({"Run": ["id", "ghost"]}, "Run has no field ghost"),
        ({"lab__hosts__Host": ["run"]}, r"lab__hosts__Host\.run is a Run, which is not listed"),
    ],
)
def test_a_selection_that_does_not_fit_the_document_is_refused(fields: dict[str, list[str]], message: str) -> None:
    with pytest.raises(Failure, match=message):
        select(DOCUMENT, fields)
