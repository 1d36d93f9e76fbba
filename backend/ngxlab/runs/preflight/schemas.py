"""Payloads of the request that asks whether chosen hosts suit a template."""

from pydantic import BaseModel

from ngxlab.core.payload import Id, Payload
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.needs import NeedResult


class FitRequest(Payload):
    """Hosts and addresses as for starting a run: ``host_id`` plays every slot that ``hosts`` does not name."""

    parameters: dict[str, LevelValue] = {}
    host_id: Id | None = None
    hosts: dict[str, Id] = {}
    addresses: dict[str, str] = {}
    nginx: dict[str, str] = {}


class TemplateFit(BaseModel):
    """``fits``: a run would start, and all needs with ``must`` are met."""

    fits: bool
    needs: list[NeedResult]
