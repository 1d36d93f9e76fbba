"""The file for pprof, read back by the rules of protocol buffers."""

import gzip
from collections.abc import Iterator
from typing import Any

from ngxlab.analysis.profiles import ArmProfile, TrialProfile
from ngxlab.profiles.pprof import pprof
from ngxlab_contracts.profiles import Profile

TIMES = 200
"""So many samples that their nanoseconds take more than 32 bits."""


def told(t_us: int) -> Profile:
    """200 samples of ``main;deflate``, 400 of ``main;send;copy`` in the kernel, and 200 of what has no module."""
    return Profile(
        t_us=t_us, hz=99, seconds=2.5, unwinding="dwarf", kernel=True, lost=0, unresolved=0,
        frames=["main", "deflate", "send", "copy", "[unknown]"],
        modules=["nginx", "libz.so.1", "kernel", "kernel", ""],
        parents=[-1, 0, 0, 2, -1], calls=[0, 1, 2, 3, 4], samples=[0, TIMES, 0, 2 * TIMES, TIMES],
    )  # fmt: skip


def varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def fields(content: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value, in their order: an integer, or bytes."""
    at = 0
    while at < len(content):
        key, at = varint(content, at)
        value, at = varint(content, at)
        assert key & 7 in {0, 2}
        yield key >> 3, value if key & 7 == 0 else content[at : at + value]
        at += value if key & 7 == 2 else 0


def all_of(content: bytes, number: int) -> list[Any]:
    return [value for found, value in fields(content) if found == number]


def numbers(content: bytes) -> list[int]:
    """One behind the other."""
    found, at = [], 0
    while at < len(content):
        value, at = varint(content, at)
        found.append(value)
    return found


def test_what_is_read_back_is_what_was_sampled() -> None:
    arm = ArmProfile([TrialProfile(told(5_000_000), 100, None), TrialProfile(told(9_000_000), 100, None)])
    packed = pprof(arm)
    assert packed == pprof(arm)
    content = gzip.decompress(packed)
    texts = [text.decode() for text in all_of(content, 6)]
    assert texts[0] == ""
    kinds = [dict(fields(kind)) for kind in all_of(content, 1)]
    assert [(texts[kind[1]], texts[kind[2]]) for kind in kinds] == [("samples", "count"), ("cpu", "nanoseconds")]
    mappings = {one[1]: texts[one[5]] for one in (dict(fields(mapping)) for mapping in all_of(content, 3))}
    assert list(mappings.values()) == ["nginx", "kernel", "libz.so.1"]
    functions = {one[1]: texts[one[2]] for one in (dict(fields(function)) for function in all_of(content, 5))}
    frames = {}
    for location in (dict(fields(location)) for location in all_of(content, 4)):
        (line,) = numbers(location[4][1:])
        frames[location[1]] = (functions[line], mappings.get(location.get(2, 0), ""))
    stacks = {}
    for sample in (dict(fields(sample)) for sample in all_of(content, 2)):
        stacks[tuple(frames[place] for place in numbers(sample[1]))] = numbers(sample[2])
    period_ns = 10_101_010
    deflate, copy = ("deflate", "libz.so.1"), (("copy", "kernel"), ("send", "kernel"))
    assert stacks == {
        (*copy, ("main", "nginx")): [4 * TIMES, 4 * TIMES * period_ns],
        (deflate, ("main", "nginx")): [2 * TIMES, 2 * TIMES * period_ns],
        (("[unknown]", ""),): [2 * TIMES, 2 * TIMES * period_ns],
    }
    assert dict(fields(all_of(content, 11)[0])) == kinds[1]
    assert [all_of(content, number) for number in (9, 10, 12)] == [[9_000_000_000], [5_000_000_000], [period_ns]]
