"""Takes secrets out of an nginx configuration before it leaves this machine.

``********`` stands in the place of each. Comments and code are taken out, too: anything may be in them. The browser
does the same (``frontend/src/domain/secrets.ts``); ``cli/tests/secrets.json`` has cases that both must pass.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MASK = "********"

NAME = re.compile(
    r"authorization|passw(or)?d|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|auth[-_]?key"
    r"|x-auth|credential|cookie|session|signature|dsn|salt|csrf"
    r"|(?<!by)(?<!proxy_)(?<!upstream_)pass(?![a-z])|(?<!cache)(?<!limit)(?<!hash)(?<!zone)(?<!memcached)[_-]key(?![\w-])",
    re.IGNORECASE,
)
_GIVES = frozenset(
    """
    add_header env fastcgi_param grpc_set_header js_var proxy_set_header scgi_param set set_escape_uri set_if_empty
    set_unescape_uri uwsgi_param
    """.split()  # noqa: SIM905 — a list of names
)
_CODE = re.compile(r"\w+_by_lua|perl|perl_set")
_NOT_CODE = re.compile(r"\$\w+|[\w:]+")
_WHOLLY = re.compile(r"secure_link_md5|userid_mark|encrypted_session_key|(?!\w*_file$)\w*(passw|secret)\w*")
_ASKS_REDIS = re.compile(r"redis2_\w*query")
_CHOOSES = frozenset({"geo", "map", "split_clients"})
_NO_KEYS = frozenset({"default", "hostnames", "ranges", "volatile", "include", '""', "''"})
SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"://[^/@\s\"']+@"), f"://{MASK}@"),
    (
        re.compile(
            r"((?:^|[?&\s\"'])(?:[\w-]*(?:key|token|secret|password|passwd|pwd|signature|auth))=)[^&\s\"';$*]+",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
    (
        re.compile(r"([\w-]*(?:api[-_]?key|token|secret|password|passwd)\\?\"\s*:\s*\\?\")[^\"$\\*]+", re.IGNORECASE),
        rf"\1{MASK}",
    ),
    (re.compile(r"\b(Basic|Bearer|Digest|Token)\s+[^$\s\"'*]{4,}"), rf"\1 {MASK}"),
    (re.compile(r"\b(AKIA[0-9A-Z]{16}|gh[pousr]_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[abprs]-[\w-]{10,})"), MASK),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), MASK),
    (re.compile(r"(?<![\w/.$-])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}={0,2}"), MASK),
)
_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_FILE = re.compile(r"# configuration file .+:")
_VARIABLE = re.compile(r"(\$\{?\w+\}?)")
_NAMED = re.compile(r"^([\"']?)([\w-]+)(:\s*)(.*?)([\"']?)$", re.DOTALL)
_SCHEME = re.compile(r"^(Basic|Bearer|Digest|Token)\s+")
_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<end>[;{}])"
    r"|(?P<word>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?:\\.|\$\{|[^\s;{\\])(?:\\.|\$\{|[^\s;{\\])*)",
    re.DOTALL,
)
_IN_CODE = re.compile(
    r"--\[(=*)\[.*?\]\1\]|--[^\n]*|\[(=*)\[.*?\]\2\]|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[{}]", re.DOTALL
)


@dataclass(frozen=True)
class Word:
    """A word of a directive, as it is written, and where."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Statement:
    """A directive. ``within``: the block around it that chooses values, such as ``map``."""

    words: tuple[Word, ...]
    within: "Statement | None"

    @property
    def name(self) -> str:
        return self.words[0].text.strip("\"'")


def without_secrets(text: str) -> str:
    """The configuration with masks, line by line as it was."""
    text = _KEY.sub(lambda found: MASK + "\n" * found[0].count("\n"), text)
    pieces, at = [], 0
    for begin, end, put in sorted(_changes(text)):
        pieces += [text[at:begin], put]
        at = end
    return "".join([*pieces, text[at:]])


def includes(text: str) -> list[str]:
    """The files that ``include`` asks for."""
    found = [one for one, _ in _statements(text) if isinstance(one, Statement)]
    return [one.words[1].text.strip("\"'") for one in found if one.name == "include" and len(one.words) == 2]


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    keys: dict[int, int] = {}
    for one, (begin, end) in _statements(text):
        if not isinstance(one, Statement):
            yield begin, end, one
            continue
        for place, word in enumerate(one.words):
            put = _masked(one, place, word)
            if one.within is not None and place == 0 and MASK in put:  # keys of a block must differ
                number = keys[id(one.within)] = keys.get(id(one.within), 0) + 1
                put = put.replace(MASK, f"{MASK}{number}", 1) if number > 1 else put
            if put == word.text:
                continue
            yield word.begin, word.end, put + "\n" * (word.text.count("\n") - put.count("\n"))


def _masked(statement: Statement, place: int, word: Word) -> str:
    text, name = word.text, statement.name
    if place > 0 and _CODE.fullmatch(name) and not _NOT_CODE.fullmatch(text):
        return MASK
    if _is_secret(statement, place, text):
        is_key = statement.within is not None and place == 0
        return _literals(text, pattern=_is_pattern(statement, place), whole=is_key)
    if name == "env":
        return re.sub(r"=.+", f"={MASK}", text)
    if name.startswith("more_set_") and (found := _NAMED.match(text)) and NAME.search(found[2]):
        return f"{found[1]}{found[2]}{found[3]}{_literals(found[4])}{found[5]}"
    for shape, put in SHAPES:
        text = shape.sub(put, text)
    return text


def _is_secret(statement: Statement, place: int, text: str) -> bool:
    name, args = statement.name, [word.text for word in statement.words[1:]]
    if statement.within is not None:
        source, target = statement.within.words[1].text, statement.within.words[-1].text
        if place == 0:
            return bool(NAME.search(source)) and text not in _NO_KEYS
        return bool(NAME.search(target))
    if _WHOLLY.fullmatch(name):
        return place > 0
    if _ASKS_REDIS.fullmatch(name) and re.search(r"\bauth\b", args[0] if args else "", re.IGNORECASE):
        return place > 1 or (place == 1 and " " in text)
    if name == "if":
        is_about = any(NAME.search(arg) for arg in args if "$" in arg)
        return place > 0 and is_about and not re.fullmatch(r"[=!~*()-]+|\(?\$\w+\)?", text)
    return name in _GIVES and place > 1 and bool(NAME.search(args[0]))


def _is_pattern(statement: Statement, place: int) -> bool:
    if statement.within is not None:
        return place == 0 and statement.words[0].text.lstrip("\"'").startswith("~")
    return re.fullmatch(r"!?~\*?", statement.words[place - 1].text) is not None


def _literals(text: str, *, pattern: bool = False, whole: bool = False) -> str:
    """The word without what is no variable. What it begins with to say how somebody is known stays.

    ``pattern``: it is a regular expression, and stays one. ``whole``: it has no variables.
    """
    quote = text[0] if text[:1] in ('"', "'") else ""
    inner = text[1:-1] if quote else text
    close = ")" if inner.endswith(")") and not quote else ""
    inner = inner.removesuffix(close)
    if pattern:
        flags = found[0] if (found := re.match(r"~\*?", inner)) else ""
        return rf"{quote}{flags}\Q{MASK}\E{quote}{close}"
    scheme = found[0] if (found := _SCHEME.match(inner)) else ""
    pieces = [inner[len(scheme) :]] if whole else _VARIABLE.split(inner[len(scheme) :])
    masked = (piece if place % 2 or not re.search(r"[^\s*]", piece) else MASK for place, piece in enumerate(pieces))
    return f"{quote}{scheme}{''.join(masked)}{quote}{close}"


def _statements(text: str) -> Iterator[tuple[Statement | str, tuple[int, int]]]:
    """Each directive, and what stands in the place of a comment or of code."""
    words: list[Word] = []
    blocks: list[Statement] = []
    at = 0
    while (token := _TOKEN.search(text, at)) is not None:
        at = token.end()
        if token["comment"] is not None:
            yield ("#" if not _FILE.fullmatch(token[0]) else token[0]), token.span()
        elif token["word"] is not None and not (token[0] == "}" and not words):
            words.append(Word(token[0], token.start(), at))
        elif token[0] == "}":
            del blocks[-1:]
        elif words:
            within = blocks[-1] if blocks and blocks[-1].name in _CHOOSES else None
            statement = Statement(tuple(words), within if within is None or len(within.words) > 1 else None)
            words = []
            yield statement, (0, 0)
            if token[0] == "{" and statement.name.endswith("_by_lua_block"):
                end = _end_of_code(text, at)
                yield "\n" * text.count("\n", at, end), (at, end)
                at = end + 1
            elif token[0] == "{":
                blocks.append(statement)


def _end_of_code(text: str, begin: int) -> int:
    """Where its closing brace stands."""
    depth = 1
    for token in _IN_CODE.finditer(text, begin):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.start()
    return len(text)
