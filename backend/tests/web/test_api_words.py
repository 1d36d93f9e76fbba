"""The API's document explains itself: each operation, parameter and scheme; and its examples are sound."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from ngxlab.core.config import Settings
from ngxlab.core.openapi import EXAMPLES, PARAMETERS, property_words
from ngxlab.main import create_app


@pytest.fixture(scope="module")
def document(settings: Settings) -> dict[str, Any]:
    return create_app(settings).openapi()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_operation_and_parameter_is_described(document: dict[str, Any]) -> None:
    bare = [name for name, operation in operations(document) if not operation.get("description", "").strip()]
    bare += [
        f"{name}: {parameter['name']}"
        for name, operation in operations(document)
        for parameter in operation.get("parameters", [])
        if not parameter.get("description", "").strip()
    ]
    assert bare == []


def test_no_description_is_of_a_parameter_that_is_gone(document: dict[str, Any]) -> None:
    there = {
        f"{parameter['in']} {parameter['name']}"
        for _, operation in operations(document)
        for parameter in operation.get("parameters", [])
    }
    assert PARAMETERS.keys() <= there


def test_every_property_is_described(document: dict[str, Any]) -> None:
    bare = [
        f"{name}.{key}"
        for name, schema in document["components"]["schemas"].items()
        for key, about in schema.get("properties", {}).items()
        if not about.get("description", "").strip()
    ]
    assert bare == [], "describe it at its field, in its class, or in core/properties.toml"


def test_no_description_is_of_a_property_that_is_gone(document: dict[str, Any]) -> None:
    there = {
        word
        for name, schema in document["components"]["schemas"].items()
        for key in schema.get("properties", {})
        for word in (key, f"{name}.{key}")
    }
    assert property_words().keys() <= there


def test_what_may_be_tried_again_says_when(document: dict[str, Any]) -> None:
    again = [
        response
        for _, operation in operations(document)
        for status, response in operation["responses"].items()
        if status in {"429", "503"} and "application/problem+json" in response["content"]
    ]
    assert again
    assert all("Retry-After" in response["headers"] for response in again)


def test_webhooks_are_declared_as_they_are_signed(document: dict[str, Any]) -> None:
    [(_, webhook)] = document["webhooks"].items()
    headers = [parameter["name"] for parameter in webhook["post"]["parameters"]]
    assert headers == ["webhook-id", "webhook-timestamp", "webhook-signature"]
    body = webhook["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/WebhookMessage"}


def test_each_way_to_show_who_calls_is_described(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    used = {name for _, operation in operations(document) for way in operation["security"] for name in way}
    assert used == schemes.keys()
    assert all(scheme["description"] for scheme in schemes.values())


@pytest.mark.parametrize("operation_id", EXAMPLES)
def test_an_example_is_what_the_schema_asks_for(document: dict[str, Any], operation_id: str) -> None:
    [content] = [
        operation["requestBody"]["content"]["application/json"]
        for _, operation in operations(document)
        if operation["operationId"] == operation_id
    ]
    assert content["example"] == EXAMPLES[operation_id]
    whole = {**content["schema"], "components": document["components"]}
    jsonschema_rs.validator_for(whole).validate(content["example"])
