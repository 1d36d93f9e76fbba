"""What a share shows, as it is stored: JSON without addresses and folders, compressed. Pure."""

import hashlib
import json
import zlib
from typing import TypeVar

from pydantic import BaseModel

from ngxlab.core.errors import Conflict
from ngxlab.core.stored import read

_MOST_BYTES = 32 << 20
"""Of the JSON: a report of 1,000 trials takes a third of it."""

_Model = TypeVar("_Model", bound=BaseModel)


def packed(content: BaseModel) -> bytes:
    """Raises Conflict for more than a share may keep."""
    text = content.model_dump_json().encode()
    if len(text) > _MOST_BYTES:
        detail = f"It takes {len(text) >> 20} MB; a link keeps at most {_MOST_BYTES >> 20} MB. Export it instead."
        raise Conflict(detail, code="too-large-to-share")
    return zlib.compress(text)


def unpacked(model: type[_Model], content: bytes) -> _Model:
    """Raises Unreadable for what an older version has stored and this one cannot read any more."""
    try:
        value = json.loads(zlib.decompressobj().decompress(content, _MOST_BYTES))
    except (zlib.error, ValueError):
        value = None
    return read(model, value, "What this link shows")


def digest(content: BaseModel) -> str:
    """Equal for what says the same. The list of series comes from the product, and says nothing of the run."""
    said = content.model_dump(mode="json", exclude={"catalogue"})
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
