"""Preview a template's experiment before it is saved."""

from ngxlab.errors import Invalid
from ngxlab.experiments import nginx_config
from ngxlab.experiments.definition import Definition, LevelValue
from ngxlab.templates.base import Template
from ngxlab.templates.schemas import ArmPreview, PlanPreview, Preview, TemplateDetail, TemplateSummary


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


def arms_of(definition: Definition) -> list[ArmPreview]:
    """Every arm with the exact configuration it runs."""
    return [
        ArmPreview(key=arm.key, label=arm.label, levels=arm.levels, config=nginx_config.render(definition, arm))
        for arm in definition.arms
    ]


def plan_of(definition: Definition) -> PlanPreview:
    plan = definition.plan
    return PlanPreview(
        blocks=plan.blocks,
        arms=len(definition.arms),
        trials=plan.blocks * len(definition.arms),
        warmup_s=plan.warmup_s,
        measure_s=plan.measure_s,
        cooldown_s=plan.cooldown_s,
        total_s=definition.total_seconds(),
    )


def preview(template: Template, parameters: dict[str, LevelValue]) -> Preview:
    """Never fails on bad values: it says what is wrong, each at its field."""
    try:
        values = template.complete(parameters)
    except Invalid as error:
        return Preview(problems=error.errors)
    definition = template.build(values)
    return Preview(
        arms=arms_of(definition),
        baseline=definition.baseline,
        plan=plan_of(definition),
        slots=definition.slots,
        needs=[need.info for need in template.needs(values)],
    )
