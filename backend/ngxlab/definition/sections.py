"""The fields of a definition that are sound by themselves, where the whole may not be."""

from dataclasses import dataclass

from ngxlab.definition.schema.definition import TARGET_SLOT
from ngxlab.definition.schema.factors import ChosenDesign, Factor, MatrixDesign
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.perturbations import Perturbation
from ngxlab.definition.schema.plan import Plan
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import Backend


@dataclass(frozen=True)
class Parts:
    """None for a field that has not its shape."""

    factors: list[Factor] | None = None
    design: MatrixDesign | ChosenDesign | None = None
    baseline: str | None = None
    nginx: NginxTemplate | None = None
    backends: list[Backend] | None = None
    streams: list[Stream] | None = None
    perturbations: list[Perturbation] | None = None
    plan: Plan | None = None
    thresholds: list[str] | None = None
    placement: str | dict[str, str] | None = None

    @property
    def slots(self) -> list[str] | None:
        """The parts that hosts play, the target first; None where what decides on them has not its shape."""
        if self.streams is None or self.backends is None:
            return None
        users = [*(stream.slot for stream in self.streams), *(backend.slot for backend in self.backends)]
        return list(dict.fromkeys([TARGET_SLOT, *users]))
