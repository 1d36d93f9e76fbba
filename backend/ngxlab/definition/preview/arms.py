"""The configurations of a definition's arms."""

from ngxlab.definition.nginx.config import render
from ngxlab.definition.preview.schemas import ArmPreview
from ngxlab.definition.schema.definition import Definition


def arm_previews(definition: Definition) -> list[ArmPreview]:
    """Every arm with the exact configuration that it runs."""
    return [
        ArmPreview(key=arm.key, label=arm.label, levels=arm.levels, config=render(definition, arm))
        for arm in definition.arms
    ]
