"""What the server itself uses on a host while a trial measures there."""

from typing import Annotated, Literal

from pydantic import Field

from ngxlab_contracts.base import Message, Real, Whole


class ServerUse(Message):
    """CPU time that the server's services on this host, by name, used from the beginning of the measured window on for
    ``seconds``. ``is_changed``: a service began or ended meanwhile, so nothing is known of it."""

    kind: Literal["server_use"] = "server_use"
    t_us: Whole
    seconds: Real
    cpu_s: Annotated[dict[Annotated[str, Field(max_length=40)], Real], Field(max_length=20)]
    is_changed: bool = False
