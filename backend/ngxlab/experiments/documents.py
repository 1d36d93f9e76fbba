"""Experiments as YAML documents."""

from typing import Any

from fastapi import Request

from ngxlab.errors import Unavailable
from ngxlab.experiments.version_schemas import ImportRequest


async def import_request(request: Request, name: str | None) -> ImportRequest:
    raise Unavailable("Coming with the next commit.")


def document_schema() -> dict[str, Any]:
    raise Unavailable("Coming with the next commit.")
