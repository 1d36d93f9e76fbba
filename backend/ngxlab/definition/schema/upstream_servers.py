"""The servers behind the nginx under test."""

from typing import Annotated, Literal

from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel, Key, Templated, TemplatedNumber, TemplatedText, Within


class Sink(DefinitionModel):
    """Reads any body and answers 200 with ``response_bytes`` of text."""

    kind: Literal["sink"] = "sink"
    response_bytes: Annotated[Templated, Within(0, 1 << 20)] = 2


class Slow(DefinitionModel):
    """Answers after ``delay_ms``: ``distribution`` ``uniform`` varies it by ± ``spread_ms``, ``exponential`` makes it
    the mean. Needs nginx's Lua module on the host of the upstream server."""

    kind: Literal["slow"] = "slow"
    delay_ms: Annotated[TemplatedNumber, Within(0, 600_000, whole=False)]
    distribution: Literal["constant", "uniform", "exponential"] = "constant"
    spread_ms: Annotated[TemplatedNumber, Within(0, 600_000, whole=False)] = 0
    response_bytes: Annotated[Templated, Within(0, 1 << 20)] = 2


class UpstreamServer(DefinitionModel):
    """An upstream server: an nginx of its own with ``instances`` ports, on the host that plays ``slot``.

    Its behaviour is either a ready-made ``behaviour`` or the ``server`` fragment. ``workers``: of that nginx. ``tls``:
    it is asked by ``https://``, and has a certificate made for the trial, which nothing can verify.
    """

    key: Key
    slot: Key
    instances: Annotated[int, Field(ge=1, le=1000)] = 1
    workers: Annotated[int, Field(ge=1, le=256)] = 1
    behaviour: Annotated[Sink | Slow, Field(discriminator="kind")] | None = None
    server: TemplatedText = ""
    tls: bool = False
