"""What a template says about one of its runs: conclusion, charts and figures."""

from ngxlab_contracts.sentences import Sentence, say
from pydantic import BaseModel

from ngxlab.analysis.verdict.voided import no_conclusions, why_void
from ngxlab.core.errors import Invalid
from ngxlab.definition.schema.definition import Definition
from ngxlab.templates.base import Label, Source, Template
from ngxlab.templates.chart_data import Chart, ChartHead
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.figures import FigureRow

_EDITED = Label(
    key="edited",
    label="Edited after the template",
    help="The plan or the arms were changed after the template created them. Everything that still applies is shown.",
)


class TemplateFindings(BaseModel):
    """The template's own part of a report. ``labels``: what a reader must know about it, e.g. "simulated".

    ``missing``: charts of the template for which no usable trial has data.
    """

    key: str
    title: str
    question: str
    source: Source
    conclusion: list[Sentence]
    labels: list[Label]
    charts: list[Chart]
    missing: list[ChartHead]
    figures: list[FigureRow]


def findings(template: Template, evidence: Evidence) -> TemplateFindings:
    """Charts without data are only named. Rows of figures always stay, for the sake of the article's figures."""
    drawn = [chart for spec in template.charts if (chart := spec.draw(evidence)) is not None]
    shown = {chart.title for chart in drawn}  # bars and lines of one quantity share a title: one of them is enough
    labels = [_EDITED] if _is_edited(template, evidence.definition) else []
    return TemplateFindings(
        key=template.key,
        title=template.title,
        question=template.question,
        source=template.source,
        conclusion=_conclusion(template, evidence),
        labels=[*labels, *template.labels(evidence)],
        charts=drawn,
        missing=[spec.head for spec in template.charts if spec.title not in shown],
        figures=[figure.row(evidence) for figure in template.figures],
    )


def _conclusion(template: Template, evidence: Evidence) -> list[Sentence]:
    """Without what the headline says already. Nothing from a run without data, nor on what a check voids."""
    if not any(evidence.usable(arm) for arm in evidence.arms):
        return [say("No conclusion: the run has no usable trial.")]
    checks = evidence.analysis.checks
    if (reason := why_void(checks, None)) is not None:
        return [say("No conclusion: {reason}.", reason=reason)]
    headline = {statement.text for statement in evidence.analysis.statements}
    chosen = [text] if (text := evidence.analysis.chosen_window) is not None else []
    return [*chosen, *no_conclusions(checks), *(text for text in template.conclude(evidence) if text not in headline)]


def _is_edited(template: Template, definition: Definition) -> bool:
    parameters = definition.template.parameters if definition.template is not None else {}
    try:
        built = template.build(template.complete(parameters))
    except Invalid:
        return True  # an older form of this template made it
    return built.model_copy(update={"question": definition.question}) != definition
