"""Preview a template's experiment before it is saved."""

from ngxlab.core.errors import Invalid
from ngxlab.definition.preview.definition import arm_previews, plan_preview
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.base import Template
from ngxlab.templates.schemas import Preview, TemplateDetail, TemplateSummary


def summary(template: Template) -> TemplateSummary:
    return TemplateSummary(
        key=template.key,
        title=template.title,
        summary=template.summary,
        question=template.question,
        source=template.source,
    )


def detail(template: Template) -> TemplateDetail:
    return TemplateDetail(
        **summary(template).model_dump(),
        mechanism=template.mechanism,
        parameters=list(template.parameters),
        presets=list(template.presets),
        needs=[need.info for need in template.needs(template.complete({}))],
        charts=[chart.head for chart in template.charts],
    )


def preview(template: Template, parameters: dict[str, LevelValue]) -> Preview:
    """Never raises on bad values: it returns what is wrong, each at its field."""
    try:
        values = template.complete(parameters)
    except Invalid as error:
        return Preview(problems=error.errors)
    definition = template.build(values)
    return Preview(
        arms=arm_previews(definition),
        baseline=definition.baseline,
        plan=plan_preview(definition),
        slots=definition.slots,
        needs=[need.info for need in template.needs(values)],
    )
