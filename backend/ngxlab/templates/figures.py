"""The table of the article's figures beside the run's own values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.evidence import Evidence, Named
from ngxlab.templates.saying import said

Yours = Metric | Callable[[Evidence, ArmAnalysis], str | None]
"""What the run measured in an arm: a quantity whose mean is shown, or a text ready to print."""


class FigureCell(BaseModel):
    """``article`` and ``yours``: ready to print with their units; ``None`` if there is no such figure."""

    arm: str
    article: str | None
    yours: str | None
    yours_value: float | None = None


class FigureRow(BaseModel):
    """``where``: the place in the article; ``unit``: that of ``yours_value``. There is a cell for each arm."""

    label: str
    unit: str
    where: str
    note: str
    cells: list[FigureCell]


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the article gives for the arms with these levels (for all arms if empty)."""

    levels: Mapping[str, str]
    text: str


def _said_of(article: str | Mapping[str, Mapping[str, str]]) -> list[Said]:
    """A text for all arms, or by factor and level."""
    if isinstance(article, str):
        return [Said(levels={}, text=article)]
    return [
        Said(levels={factor: level}, text=text) for factor, texts in article.items() for level, text in texts.items()
    ]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A row: the article's figure for each arm, and the run's own value."""

    label: str
    where: str
    article: Annotated[list[Said], BeforeValidator(_said_of)] = field(default_factory=list)
    yours: Annotated[Yours, Named]
    note: str = ""

    def row(self, evidence: Evidence) -> FigureRow:
        return FigureRow(
            label=self.label,
            unit=self.yours.info.unit if isinstance(self.yours, Metric) else "",
            where=self.where,
            note=self.note,
            cells=[self._cell(evidence, arm) for arm in evidence.arms],
        )

    def _cell(self, evidence: Evidence, arm: ArmAnalysis) -> FigureCell:
        article = next((one.text for one in self.article if one.levels.items() <= arm.levels.items()), None)
        if not isinstance(self.yours, Metric):
            return FigureCell(arm=arm.key, article=article, yours=self.yours(evidence, arm))
        value = evidence.mean(arm, self.yours)
        text = said(value, self.yours.info.unit) if value is not None else None
        return FigureCell(arm=arm.key, article=article, yours=text, yours_value=value)
