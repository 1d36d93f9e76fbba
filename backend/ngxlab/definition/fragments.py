"""Render fragments of configurations: a small, safe subset of Jinja over the variables of an arm's levels.

Allowed are values, arithmetic, comparisons, a few filters, ``if``, ``servers("KEY")`` and ``upstream("KEY")``. There
are no loops, no attributes and no repetition of text, so what is rendered is never much longer than the variables that
it names, once for each time, which is bounded before anything is rendered.
True and False are written ``on`` and ``off``, as nginx does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, Undefined, nodes
from jinja2.sandbox import SandboxedEnvironment
from ngxlab_contracts.sentences import Sentence, fixed, say
from ngxlab_policy.fragments import Fragment

_ALLOWED_NODES = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.Name, nodes.Const, nodes.CondExpr,
    nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Pos, nodes.Add, nodes.Sub,
    nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Concat, nodes.Filter, nodes.Test, nodes.Call,
    nodes.Tuple, nodes.List, nodes.Keyword,
)  # fmt: skip
_ALLOWED_FILTERS = frozenset({"abs", "default", "float", "int", "lower", "trim", "upper"})
_ALLOWED_TESTS = frozenset({"defined", "undefined", "divisibleby", "even", "odd", "eq", "ne", "in"})
_ALLOWED_CALLS = frozenset({"servers", "upstream"})
MAX_CHARACTERS = 256 << 10
"""The bound of a rendered fragment."""
_TOO_LONG = say(
    "the text would be longer than {most} KiB: it names long variables too often", most=MAX_CHARACTERS // 1024
)
_KINDS: dict[type, Sentence] = {list: say("a list"), tuple: say("a list"), type(None): say("none")}
_RESERVED = frozenset({"self", "super", "caller", "varargs", "kwargs", "loop", "namespace", "cycler", "joiner"})
"""Names to which Jinja itself would give a meaning."""
_LINE_MARK = re.compile("\0([0-9]+)\0")


class DefinitionError(ValueError):
    """A section of a definition is invalid in an arm. ``field`` is its path, ``line`` counts from 1 in its text."""

    def __init__(self, field: str, message: Sentence, line: int | None = None) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message
        self.line = line


class ConfigTemplateError(DefinitionError):
    """A fragment cannot be rendered. ``field`` names it, e.g. ``nginx.server``."""


class _Environment(SandboxedEnvironment):
    """Arithmetic takes numbers only: ``"x" * 10 ** 9`` would fill the memory."""

    intercepted_binops = frozenset({"*", "%", "+", "-", "/", "//"})

    def call_binop(self, context: object, operator: str, left: object, right: object) -> object:
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            raise TypeError(
                say("{term}: both must be numbers; join text with ~", term=f"{left!r} {operator} {right!r}")
            )
        return self.binop_table[operator](left, right)


def _as_nginx_writes(value: object) -> object:
    """Raises TypeError for what is neither text nor a number, such as the function ``servers`` itself."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if not isinstance(value, str | int | float | Undefined):
        kind = _KINDS.get(type(value), say("this"))
        raise TypeError(say("{kind} cannot be written here; only text and numbers can", kind=kind))
    return value


_environment = _Environment(
    undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, finalize=_as_nginx_writes
)
_environment.globals.clear()


def render_fragment(field: str, source: str, variables: Mapping[str, object]) -> Fragment:
    """The text of one fragment in one arm. Raises ConfigTemplateError with the line in ``source``."""
    try:
        compiled = _compiled(source)
    except TemplateSyntaxError as error:
        raise ConfigTemplateError(field, _plainly(error), error.lineno) from error
    except (RecursionError, SyntaxError, MemoryError) as error:
        raise ConfigTemplateError(field, say("too deeply nested")) from error
    if (line := _overflowing_line(source, compiled.names, variables)) is not None:
        raise ConfigTemplateError(field, _TOO_LONG, line)
    try:
        marked = compiled.template.render(variables)
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise ConfigTemplateError(field, _plainly(error), _line_in_template(error)) from error
    fragment = Fragment(field, tuple(_lines(marked)))
    if sum(len(text) + 1 for text, _ in fragment.lines) > MAX_CHARACTERS:
        raise ConfigTemplateError(field, _TOO_LONG)
    return fragment


@dataclass(frozen=True)
class _Compiled:
    """``names``: each variable that the template names, with the line, as often as it does."""

    template: Template
    names: tuple[tuple[str, int], ...]


def most_characters(source: str, variables: Mapping[str, object]) -> int:
    """How long a fragment could be, were every variable written wherever it is named. Cannot be too low by much."""
    try:
        names = _compiled(source).names
    except (TemplateSyntaxError, RecursionError, SyntaxError, MemoryError):
        return 0  # is not rendered at all
    return len(source) + sum(_length(variables.get(name)) for name, _ in names)


def names_in(source: str) -> frozenset[str]:
    """The variables that a text names; none where it is no template."""
    if "{" not in source:
        return frozenset()
    try:
        return frozenset(name for name, _ in _compiled(source).names)
    except (TemplateSyntaxError, RecursionError, SyntaxError, MemoryError):
        return frozenset()


def _length(value: object) -> int:
    return 0 if value is None or callable(value) else len(str(value))


def _overflowing_line(source: str, names: Sequence[tuple[str, int]], variables: Mapping[str, object]) -> int | None:
    """From which line on the text could be too long, were every variable written wherever it is named."""
    left = MAX_CHARACTERS - len(source)
    for name, line in names:
        left -= _length(variables.get(name))
        if left < 0:
            return line
    return None


@lru_cache(maxsize=2048)
def _compiled(source: str) -> _Compiled:
    """A template that says, between NUL characters, from which of its lines each piece of its text comes."""
    tree = _environment.parse(source.replace("\0", ""))
    called = {id(call.node) for call in tree.find_all(nodes.Call)}
    for node in _every_node(tree):
        _refuse_unsafe(node, is_called=id(node) in called)
    names = tuple((node.name, node.lineno) for node in tree.find_all(nodes.Name))
    for output in tree.find_all(nodes.Output):
        output.nodes = [marked for node in output.nodes for marked in (_mark(node.lineno), _mark_lines(node))]
    return _Compiled(_environment.from_string(tree), names)


def _every_node(tree: nodes.Node) -> list[nodes.Node]:
    return [tree, *tree.find_all(nodes.Node)]


def _refuse_unsafe(node: nodes.Node, *, is_called: bool) -> None:
    what = None
    if not isinstance(node, _ALLOWED_NODES):
        what = say("{node} is not supported here", node=type(node).__name__.lower())
    elif isinstance(node, nodes.Filter) and node.name not in _ALLOWED_FILTERS:
        what = say("there is no filter {name} here", name=repr(node.name))
    elif isinstance(node, nodes.Test) and node.name not in _ALLOWED_TESTS:
        what = say("there is no test {name} here", name=repr(node.name))
    elif isinstance(node, nodes.Call) and not (isinstance(node.node, nodes.Name) and node.node.name in _ALLOWED_CALLS):
        what = say('only servers("KEY") and upstream("KEY") can be called')
    elif isinstance(node, nodes.Name) and node.ctx != "load":
        what = say("variables come from levels and cannot be set here")
    elif isinstance(node, nodes.Name) and node.name in _RESERVED:
        what = say("{name} is no variable", name=node.name)
    elif isinstance(node, nodes.Name) and node.name in _ALLOWED_CALLS and not is_called:
        what = say('{name} is written with a key: {name}("KEY")', name=node.name)
    if what is not None:
        message = "{what}; supported are values, arithmetic, comparisons, if, {filters}"
        raise TemplateSyntaxError(say(message, what=what, filters=", ".join(sorted(_ALLOWED_FILTERS))), node.lineno)


def _mark(line: int) -> nodes.Expr:
    return nodes.TemplateData(f"\0{line}\0", lineno=line)


def _mark_lines(node: nodes.Expr) -> nodes.Expr:
    if not isinstance(node, nodes.TemplateData):
        return node
    first, *others = node.data.split("\n")
    marked = [f"\0{node.lineno + i}\0{text}" for i, text in enumerate(others, start=1)]
    return nodes.TemplateData("\n".join([first, *marked]), lineno=node.lineno)


def _lines(marked: str) -> list[tuple[str, int]]:
    """The lines without marks and trailing blanks, from the first that has text to the last that has.

    A line's origin is the source line of its first visible character; a blank line's is that of the text before it.
    """
    found: list[tuple[str, int]] = []
    parts: list[str] = []
    origin, is_blank = 1, True
    for text, line in _pieces(marked):
        head, *others = text.split("\n")
        for i, part in enumerate([head, *others]):
            if i > 0:
                found.append(("".join(parts).rstrip(" \t\r"), origin))
                parts, origin, is_blank = [], line, True
            if part and is_blank:
                origin, is_blank = line, not part.strip()
            parts.append(part)
    found.append(("".join(parts).rstrip(" \t\r"), origin))
    used = [i for i, (text, _) in enumerate(found) if text]
    return found[used[0] : used[-1] + 1] if used else []


def _pieces(marked: str) -> list[tuple[str, int]]:
    """Pieces of text in order, each with its source line."""
    pieces = ["1", *_LINE_MARK.split(marked)]
    # split() gives text, line, text, …; with a first line number in front, line numbers and texts alternate.
    return [(text, int(line)) for line, text in zip(pieces[::2], pieces[1::2], strict=True)]


def _line_in_template(error: BaseException) -> int | None:
    """Jinja rewrites tracebacks so that the frames of a template carry its line numbers."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


_OF_JINJA = (
    "{name} is undefined",
    "unexpected char {sign} at {at}",
    "unexpected end of template, expected {expected}.",
    "unexpected {sign}, expected {other}",
    "unexpected {sign}",
    "expected token {expected}, got {sign}",
    "Expected an expression, got {sign}",
    "Encountered unknown tag {name}.",
    "{name} not supported between instances of {one} and {other}",
)
"""What Jinja and Python say of a template, the exact before the general; the values are numbers or in quotes."""
_FIXED_OF_JINJA = (
    say("division by zero"),
    say("float division by zero"),
    say("integer modulo by zero"),
    say("float floor division by zero"),
    say("integer division or modulo by zero"),
    say("tag name expected"),
    say("expected name or number"),
    say("expected subscript expression"),
    say("Missing end of comment tag"),
)


def _plainly(error: Exception) -> Sentence:
    """What is wrong with a template; what no pattern knows stays as it is."""
    given = error.args[0] if error.args else ""
    if isinstance(given, Sentence):
        return given
    text = (error.message if isinstance(error, TemplateError) else None) or str(error) or type(error).__name__
    for template in _OF_JINJA:
        if (match := _pattern(template).fullmatch(text)) is not None:
            return say(template, **match.groupdict())
    return fixed(text)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"""(?P<\1>["'].*["']|\\d+)""", re.escape(template)))
