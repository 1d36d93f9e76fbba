"""The fields of a definition that are valid by themselves, even if the whole is not."""

from dataclasses import dataclass

from ngxlab.definition.schema.definition import slots_of
from ngxlab.definition.schema.factors import ChosenDesign, Factor, MatrixDesign
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.perturbations import Perturbation
from ngxlab.definition.schema.plan import Plan, Threshold
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import UpstreamServer


@dataclass(frozen=True)
class Sections:
    """A field is None if it is broken."""

    factors: list[Factor] | None = None
    design: MatrixDesign | ChosenDesign | None = None
    baseline: str | None = None
    nginx: NginxTemplate | None = None
    upstream_servers: list[UpstreamServer] | None = None
    streams: list[Stream] | None = None
    perturbations: list[Perturbation] | None = None
    plan: Plan | None = None
    thresholds: list[Threshold | str] | None = None
    placement: str | dict[str, str] | None = None

    @property
    def slots(self) -> list[str] | None:
        """See :func:`slots_of`; None where the sections that decide on them are broken."""
        if self.streams is None or self.upstream_servers is None:
            return None
        return slots_of(self.streams, self.upstream_servers)
