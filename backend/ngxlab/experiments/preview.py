"""What a definition would run."""

from ngxlab.errors import Unavailable
from ngxlab.experiments.design_schemas import DefinitionPreview, DefinitionPreviewRequest


def preview(request: DefinitionPreviewRequest) -> DefinitionPreview:
    raise Unavailable("Coming with the next commit.")
