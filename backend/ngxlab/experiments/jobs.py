"""What is worked out about definitions in processes apart (``core.apart``): JSON text in, JSON text out."""

from pydantic import BaseModel

from ngxlab.definition.preview.definition import preview
from ngxlab.definition.preview.schemas import DefinitionPreviewRequest
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.yaml import documents
from ngxlab.experiments.version_schemas import ImportRequest
from ngxlab.templates import service as templates
from ngxlab.templates.primary import primary_preview
from ngxlab.templates.registry import template


class TemplatePreviewJob(BaseModel):
    key: str
    parameters: dict[str, LevelValue]


class ReadDocument(BaseModel):
    name: str
    definition: Definition


def preview_definition(text: str) -> str:
    shown = preview(DefinitionPreviewRequest.model_validate_json(text))
    if shown.definition is not None:
        shown = shown.model_copy(update={"primary": primary_preview(shown.definition)})
    return shown.model_dump_json()


def preview_template(text: str) -> str:
    job = TemplatePreviewJob.model_validate_json(text)
    return templates.preview(template(job.key), job.parameters).model_dump_json()


def read_document(text: str) -> str:
    """Raises Invalid with all problems of the document."""
    request = ImportRequest.model_validate_json(text)
    name, definition = documents.require(request.yaml, request.name)
    return ReadDocument(name=name, definition=definition).model_dump_json()
