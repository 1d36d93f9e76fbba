"""What ``perf script`` prints, as a tree of calls. Pure.

Of each sample it prints a line with the process, and a line for each frame, the innermost first, as perf-script(1) says
of ``-F pid,ip,sym,dso``::

    1234
            7f0c1d2e3a4b deflate (/usr/lib/x86_64-linux-gnu/libz.so.1.2.13)
            55d0c0ffee00 [unknown] (/usr/sbin/nginx)
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ngxlab_contracts.profiles import DEEPEST_CALL, LONGEST_FRAME, MOST_CALLS, MOST_FRAMES

KERNEL = "kernel"
UNKNOWN = "[unknown]"
_FRAME = re.compile(r"^\s+[0-9a-f]+ (?P<name>.+?) \((?P<module>[^()]*(?: \(deleted\))?)\)$")
_LOST = re.compile(r"PERF_RECORD_LOST\b.*?\blost (\d+)")
_SUFFIX = re.compile(r"(\.(part|isra|constprop|cold|lto_priv|llvm)(\.\d+)*)+$")
"""What compilers append to the names of a function's parts and copies. Linkers append ``@@VERSION``."""

Frame = tuple[str, str]
"""A function's name and its module."""
_ROOT = -1


@dataclass
class CallTree:
    """Samples by stack. A node is a frame below its parent, ``-1`` for the outermost; ``samples`` are a node's own.

    ``unresolved``: samples whose innermost function has no name, or is too deep. ``lost``: what the kernel dropped.
    """

    frames: list[Frame] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    unresolved: int = 0
    lost: int = 0
    _nodes: dict[tuple[int, int], int] = field(default_factory=dict)
    _known: dict[Frame, int] = field(default_factory=dict)

    def add(self, stack: Sequence[Frame], *, named: bool) -> None:
        """One sample; ``stack`` from the innermost frame on. Where there is no room for more nodes, or it is too deep,
        the sample counts for the innermost one that there is."""
        node = _ROOT
        for frame in islice(reversed(stack), DEEPEST_CALL):
            below = self._below(node, frame)
            if below is None:
                break
            node = below
        if node == _ROOT:
            return
        self.samples[node] += 1
        self.unresolved += not named or len(stack) > DEEPEST_CALL

    def _below(self, parent: int, frame: Frame) -> int | None:
        call = self._known.get(frame)
        if call is None:
            if len(self.frames) >= MOST_FRAMES:
                return None
            call = self._known[frame] = len(self.frames)
            self.frames.append(frame)
        node = self._nodes.get((parent, call))
        if node is None:
            if len(self.calls) >= MOST_CALLS:
                return None
            node = self._nodes[parent, call] = len(self.calls)
            self.parents.append(parent)
            self.calls.append(call)
            self.samples.append(0)
        return node


def call_tree(lines: Iterable[str]) -> CallTree:
    """Of all samples that the lines tell of."""
    tree, stack, named = CallTree(), list[Frame](), False
    for line in lines:
        if (found := _FRAME.match(line)) is not None:
            frame = _frame(found["name"], found["module"])
            named = named or (not stack and not frame[0].startswith("["))
            stack.append(frame)
        elif stack:
            tree.add(stack, named=named)
            stack, named = [], False
        if (dropped := _LOST.search(line)) is not None:
            tree.lost += int(dropped[1])
    if stack:
        tree.add(stack, named=named)
    return tree


def _frame(name: str, path: str) -> Frame:
    module = _module(path)
    if name == UNKNOWN:
        return (f"[{module[: LONGEST_FRAME - 2]}]" if module else UNKNOWN), module
    return _SUFFIX.sub("", name.partition("@")[0])[:LONGEST_FRAME], module


def _module(path: str) -> str:
    """The name of the file; the kernel with its modules is one."""
    if path.startswith("[") and path not in {"[vdso]", "[unknown]"}:
        return KERNEL
    if path in {"[unknown]", "//anon", "inlined", ""}:
        return ""
    return path.removesuffix(" (deleted)").rpartition("/")[2][:LONGEST_FRAME]
