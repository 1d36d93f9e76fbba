"""What a stream says of WebSocket."""

from typing import Annotated

from ngxlab_contracts.fields import field
from ngxlab_contracts.streams import LARGEST_MESSAGE

from ngxlab.definition.schema.base import DefinitionModel, Templated, Within


class WebSocket(DefinitionModel):
    """The connections of the stream are WebSockets, opened before its start and held (open-loop). Each of its requests
    is a message; the next message that comes on its connection answers it. A connection carries one at a time, and
    connections take turns: each has one every ``connections / rate_per_s`` seconds."""

    message_bytes: Annotated[
        Templated,
        Within(0, LARGEST_MESSAGE),
        field("size of each message, without its frame", label="Message", unit="B"),
    ] = 64
