"""Profiles as pprof reads them: a message of protocol buffers, packed by gzip. Pure.

Source: https://github.com/google/pprof/blob/main/proto/profile.proto, whose fields have the numbers below. What is 0
is left out, as protocol buffers do.
"""

import gzip
from collections.abc import Iterable, Sequence

from ngxlab.analysis.profiles import KERNEL, ArmProfile

_VARINT, _BYTES = 0, 2
"""Wire types."""


def pprof(arm: ArmProfile) -> bytes:
    """Of each stack its samples, and the nanoseconds of CPU time that they stand for. The same profiles give the same
    bytes."""
    stacks = arm.stacks.most_common()
    frames = {frame: place for place, frame in enumerate(dict.fromkeys(one for stack, _ in stacks for one in stack), 1)}
    modules = {module: place for place, module in enumerate(_programs_first({frame.module for frame in frames}), 1)}
    texts = {"": 0}
    period_ns = round(1e9 * arm.cpu_s / max(1, arm.samples))
    cpu = _value_type(texts, "cpu", "nanoseconds")
    content = [
        _messages(1, [_value_type(texts, "samples", "count"), cpu]),
        _messages(2, (_sample([frames[one] for one in stack], count, period_ns) for stack, count in stacks)),
        # That its functions have their names keeps pprof from looking for the file.
        _messages(3, (_number(1, n) + _number(5, _place(texts, name)) + _number(7, 1) for name, n in modules.items())),
        _messages(
            4,
            (
                _number(1, place) + _number(2, modules.get(frame.module, 0)) + _message(4, _number(1, place))
                for frame, place in frames.items()
            ),
        ),
        _messages(5, (_function(place, _place(texts, frame.name)) for frame, place in frames.items())),
        _messages(6, (text.encode() for text in texts)),
        _number(9, 1000 * max(trial.profile.t_us for trial in arm.trials)),
        _number(10, round(1e9 * sum(trial.profile.seconds for trial in arm.trials))),
        _message(11, cpu) + _number(12, period_ns),
    ]
    return gzip.compress(b"".join(content), mtime=0)


def _programs_first(modules: set[str]) -> list[str]:
    """The first one names the profile. What is in none has no module."""
    return sorted(modules - {""}, key=lambda module: (module == KERNEL or ".so" in module, module))


def _place(texts: dict[str, int], text: str) -> int:
    return texts.setdefault(text, len(texts))


def _value_type(texts: dict[str, int], kind: str, unit: str) -> bytes:
    return _number(1, _place(texts, kind)) + _number(2, _place(texts, unit))


def _function(place: int, name: int) -> bytes:
    return _number(1, place) + _number(2, name) + _number(3, name)


def _sample(places: Sequence[int], samples: int, period_ns: int) -> bytes:
    """The innermost function comes first."""
    stack = b"".join(map(_varint, reversed(places)))
    return _message(1, stack) + _message(2, _varint(samples) + _varint(samples * period_ns))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value) if value else b""


def _message(field: int, content: bytes) -> bytes:
    """Also of a text, and of numbers one behind the other."""
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def _messages(field: int, contents: Iterable[bytes]) -> bytes:
    return b"".join(_message(field, content) for content in contents)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first, each but the last with its highest bit set."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
