"""The body of an import: a YAML document by itself, or inside JSON."""

from fastapi import Request
from pydantic import ValidationError

from ngxlab.core.errors import BadRequest, FieldProblem, Invalid
from ngxlab.definition.yaml.text import MAX_CHARACTERS
from ngxlab.experiments.version_schemas import ImportRequest


async def import_request(request: Request, name: str | None) -> ImportRequest:
    """The body: a YAML document by itself, or an :class:`ImportRequest` as JSON."""
    body = await request.body()
    if len(body) > 4 * MAX_CHARACTERS:
        raise BadRequest(f"The document is too long: at most {MAX_CHARACTERS:,} characters are allowed.")
    try:
        if request.headers.get("Content-Type", "").startswith("application/json"):
            return ImportRequest.model_validate_json(body)
        return ImportRequest(yaml=body.decode(), name=name)
    except ValidationError as error:
        problems = [
            FieldProblem(field=".".join(str(part) for part in item["loc"]), message=item["msg"])
            for item in error.errors(include_url=False)
        ]
        raise Invalid("; ".join(f"{p.field}: {p.message}" for p in problems), errors=problems) from error
    except UnicodeDecodeError as error:
        raise BadRequest(f"The body is not UTF-8 text: {error}") from error
