"""A mix as the open-loop engine's program takes it: ``worker/native/mix.h``."""

import struct
from pathlib import Path

from ngxlab_contracts.streams import MOST_MIXED_BYTES, MixedRequest, StreamSpec

from ngxlab_worker.engines.base import Target, stream_invalid
from ngxlab_worker.engines.native.program import one_request

_ENTRY = struct.Struct("=ddQQQQQ")
"""Weight, exponent, draw, count, whether it is HEAD, bytes before the number, size: ``struct mix_entry``."""
_FIXED, _DRAWS = 0, {"uniform": 1, "zipf": 2, "sequence": 3}
_NUMBER = b"{n}"


def mix_options(spec: StreamSpec, target: Target, file: Path) -> list[str]:
    """The stream's mix, which goes into ``file``. Raises ``GeneratorError`` for what HTTP, or a mix, does not allow."""
    if sum(one.size_of_body for one in spec.requests) > MOST_MIXED_BYTES:
        raise stream_invalid(spec, f"the bodies of its requests are more than {MOST_MIXED_BYTES:,} B together")
    with file.open("wb") as mix:
        for one in spec.requests:
            mix.write(_entry(spec, one, target))
    file.chmod(0o644)  # whatever the umask: another user reads it
    return ["--mix", str(file), "--mix-seed", str(spec.requests_seed)]


def _entry(spec: StreamSpec, one: MixedRequest, target: Target) -> bytes:
    for field, message in one.problems():
        raise stream_invalid(spec, f"{field} of {one.path} {message}")
    text = one_request(spec.alone(one), target)
    before, draw, count = 0, _FIXED, 0
    if one.numbered:
        begin = b" " if spec.protocol == "http/1.1" else b":path\0"
        before = text.index(_NUMBER, text.index(begin + one.path.encode()))
        text = text[:before] + text[before + len(_NUMBER) :]
        draw, count = _DRAWS[one.draw], one.count or 1
    head = one.method == "HEAD"
    return _ENTRY.pack(one.weight, one.exponent, draw, count, head, before, len(text)) + text
