"""The Lua code that ngxlab writes into configurations, and how it is recognised there. All other Lua is refused.

``<number>``, ``<boolean>`` and ``<key>`` are slots; nothing else of an experiment gets into the code.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from ngxlab_policy.owner import Leave, lua_block
from ngxlab_policy.syntax import LuaReader

_SLOT = re.compile(r"<(number|boolean|key)>")
_SLOTS = {
    "number": r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?",
    "boolean": r"(?:true|false)",
    "key": r"[a-z0-9][a-z0-9_-]*",
}
_SLEEPS = {
    "constant": "<number>",
    "uniform": "math.max(0, <number> + (2 * math.random() - 1) * <number>)",
    "exponential": "-<number> * math.log(1 - math.random())",
}
"""Expressions that give seconds."""

_CODE: Mapping[str, str] = {
    "upstreams": Path(__file__).with_name("upstreams.lua").read_text()
    + 'ngxlab_upstreams.set_up { lock_path = "@@folder@@/upstreams.lock", interval_s = <number>, '
    "lock_us_per_node = <number>, trylock = <boolean> }",
    "upstreams-start": "ngxlab_upstreams.start()",
    "upstreams-balance": "ngxlab_upstreams.balance('<key>')",
    "upstreams-list": "ngxlab_upstreams.list()",
    "upstreams-detail": "ngxlab_upstreams.detail()",
    "upstreams-change": "ngxlab_upstreams.upstream()",
    "answer": 'ngxlab_answer = string.rep("x", <number>)',
} | {
    f"slow-{name}": f"ngx.req.discard_body()\nngx.sleep({expression})\n"
    "ngx.header.content_length = #ngxlab_answer\nngx.print(ngxlab_answer)"
    for name, expression in _SLEEPS.items()
}


def code(name: str, *values: str) -> list[str]:
    """The lines of a piece of code, its slots filled with ``values`` in their order."""
    left = iter(values)
    return _SLOT.sub(lambda _: next(left), _CODE[name]).splitlines()


def recognise(text: str, begin: int) -> tuple[str, int] | None:
    """The name of our code that begins at ``begin``, after the opening brace of its block, and where its block ends;
    ``None`` for any other code. Lines are compared as they are but for their indentation."""
    for name, shape in _SHAPES.items():
        if match := shape.match(text, begin):
            return name, match.end()
    return None


def reader(leave: Leave) -> LuaReader:
    """Recognises our code, and what the owner of the host allows besides."""

    def recognised(text: str, begin: int) -> tuple[str, int] | None:
        return recognise(text, begin) or (lua_block(text, begin) if leave.has_lua else None)

    return recognised


def _shape(template: str) -> re.Pattern[str]:
    lines = [line.strip() for line in template.splitlines() if line.strip()]
    return re.compile(r"\s*" + r"[ \t]*\n\s*".join(_literal(line) for line in lines) + r"\s*\}")


def _literal(line: str) -> str:
    pieces = _SLOT.split(line)  # text and names of slots by turns
    return "".join(_SLOTS[piece] if number % 2 else re.escape(piece) for number, piece in enumerate(pieces))


_SHAPES = {name: _shape(template) for name, template in _CODE.items()}
