"""Payloads of the request that asks whether chosen hosts suit a template."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.needs import NeedResult


class FitRequest(BaseModel):
    """Hosts and addresses as for starting a run: ``host_id`` plays every slot that ``hosts`` does not name."""

    model_config = ConfigDict(extra="forbid")

    parameters: dict[str, LevelValue] = {}
    host_id: UUID | None = None
    hosts: dict[str, UUID] = {}
    addresses: dict[str, str] = {}
    nginx: dict[str, str] = {}


class TemplateFit(BaseModel):
    """``fits``: a run would start, and all needs with ``must`` are met."""

    fits: bool
    needs: list[NeedResult]
