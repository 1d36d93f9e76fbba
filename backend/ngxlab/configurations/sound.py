"""What a converted configuration refers to must exist: what nginx would not know is left out, and said."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ngxlab_contracts.sentences import Sentence, Value, say
from ngxlab_policy import fragments as policy
from ngxlab_policy.fragments import Fragment

from ngxlab.configurations.conversion import PARTS, Converted
from ngxlab.configurations.directives import refused
from ngxlab.configurations.known import FAMILIES, VARIABLES
from ngxlab.configurations.made import Made, every, lines, without

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")
_CAPTURED = re.compile(r"\(\?P?[<'](\w+)[>']")
_PLACEHOLDER = re.compile(r"\$\{[A-Z][A-Z0-9_]*\}|@@(?!upstream\.|folder@@)[^@\s]*@@|__[A-Z_]+__|<[A-Z_]+>")
_DATA = frozenset({"charset_map", "geo", "map", "split_clients", "types"})
_MOST_ROUNDS = 50
_CALL = re.compile(r'\{\{ servers\("KEY"[^}]*\}\}')


def settle(converted: Converted) -> None:
    """Leave out what the list of directives refuses, and what then refers to nothing, until all is sound."""
    for _ in range(_MOST_ROUNDS):
        found = dict(_refused(converted)) or dict(_dangling(converted))
        if not found:
            break
        for part, block in converted.parts.items():
            for one in every(block):
                if id(one) in found:
                    _drop(one, found[id(one)])
            converted.parts[part] = without(block, frozenset(found))
    for block in converted.parts.values():
        for line, one in lines(block):
            if line.strip() != "}" and one.record.action != "dropped":
                one.record.becomes.append(line.strip())


def _drop(made: Made, why: Sentence) -> None:
    made.record.drop(why)
    for inner in every(made.block or ()):
        inner.record.drop(say("it belongs to a block that is left out"))


def _refused(converted: Converted) -> Iterator[tuple[int, Sentence]]:
    """By ``id`` of what the policy does not allow: why."""
    written = {part: list(_flat(lines(converted.parts[part]))) for part in PARTS}
    fragments = {
        part: Fragment(part, tuple((text, number) for number, (text, _) in enumerate(found, 1)))
        for part, found in written.items()
    }
    tls = {one.key: one.tls for one in converted.upstreams}
    protocols = {one.key: one.protocol for one in converted.upstreams}
    for violation in policy.violations(fragments, tls, (), tls, protocols, leave=converted.leave, tcp=converted.tcp):
        owners = written[violation.field]
        if 0 < violation.line <= len(owners):
            yield id(owners[violation.line - 1][1]), refused(_without_calls(violation.message))


def _without_calls(message: Sentence) -> Sentence:
    """Who brings a configuration writes no calls of ``servers``."""
    values: dict[str, Value] = {}
    for place, value in message.values.items():
        if isinstance(value, Sentence):
            values[place] = _without_calls(value)
        else:
            values[place] = say("declared upstream servers") if _CALL.search(value) else value
    return Sentence(_CALL.sub("declared upstream servers", message), message.template, values)


def _flat(written: Iterable[tuple[str, Made]]) -> Iterator[tuple[str, Made]]:
    """One entry a line of text: an argument may have line ends."""
    for text, one in written:
        for line in text.split("\n"):
            yield line, one


def _dangling(converted: Converted) -> Iterator[tuple[int, Sentence]]:
    everything = [one for part in PARTS for one in every(converted.parts[part])]
    known = {name.lower() for one in everything for name in _defined_variables(one)}
    zones, caches, formats, pools = _named(everything)
    data = {id(pair) for one in everything if one.name in _DATA for pair in one.block or ()}
    for one in everything:
        if one.place or id(one) in data:
            continue
        words = one.words + " ".join(
            " ".join((pair.name, *pair.args)) for pair in (one.block or ()) if id(pair) in data
        )
        placeholder = _PLACEHOLDER.search(words)
        if placeholder is not None:
            yield id(one), say("{place} is to be filled in before nginx reads it", place=placeholder[0])
        elif (variable := _unknown(one, known)) is not None:
            yield id(one), say("nothing gives the variable {name} a value here", name=variable)
        elif (missing := _missing(one, zones, caches, formats, pools)) is not None:
            yield id(one), say("nothing defines {name} here", name=missing)


def _defined_variables(one: Made) -> Iterator[str]:
    if one.name in {"map", "geo", "split_clients"} and one.args:
        yield one.args[-1].lstrip("$")
    elif one.name in {"set", "auth_request_set"} and one.args:
        yield one.args[0].lstrip("$").strip("{}")
    for word in one.args:
        yield from _CAPTURED.findall(word)


def _unknown(one: Made, known: set[str]) -> str | None:
    """The first variable that it uses and that has no value."""
    for word in (*_evaluated(one), *(pair.args[-1] for pair in _pairs(one) if pair.args)):
        for braced, plain in _VARIABLE.findall(word):
            name: str = braced or plain
            if name.lower() not in known | VARIABLES and not FAMILIES.fullmatch(name.lower()):
                return name
    return None


_MATCHES = frozenset({"~", "~*", "!~", "!~*"})


def _evaluated(one: Made) -> Sequence[str]:
    """Its arguments without patterns, in which a $ is an end, and without the variable that it sets."""
    if one.name in {"location", "server_name"}:
        return ()
    if one.name in {"rewrite", "set", "auth_request_set"}:
        return one.args[1:]
    if one.name in {"map", "geo", "split_clients"}:
        return one.args[:-1]
    return one.args[:1] if one.name == "if" and _MATCHES & set(one.args) else one.args


def _pairs(one: Made) -> Sequence[Made]:
    return one.block or () if one.name in {"map", "split_clients"} else ()


_Names = frozenset[str]
_CACHING = ("proxy", "fastcgi", "uwsgi", "scgi")


def _named(everything: Sequence[Made]) -> tuple[_Names, _Names, _Names, _Names]:
    def values(names: set[str], option: str) -> _Names:
        words = (word for one in everything if one.name in names for word in one.args)
        return frozenset(word.removeprefix(option).partition(":")[0] for word in words if word.startswith(option))

    zones = values({"limit_req_zone", "limit_conn_zone"}, "zone=")
    caches = values({f"{name}_cache_path" for name in _CACHING}, "keys_zone=")
    formats = frozenset(one.args[0] for one in everything if one.name == "log_format" and one.args)
    pools = frozenset(one.args[0] for one in everything if one.name == "thread_pool" and one.args)
    return zones, caches, formats | {"combined"}, pools | {"default"}


def _missing(one: Made, zones: _Names, caches: _Names, formats: _Names, pools: _Names) -> str | None:
    first = one.args[0] if one.args else ""
    if one.name == "limit_req":
        zone = next((word.removeprefix("zone=") for word in one.args if word.startswith("zone=")), "")
        return None if zone in zones else zone
    if one.name == "limit_conn":
        return None if first in zones else first
    if one.name in {f"{name}_cache" for name in _CACHING} and first != "off" and "$" not in first:
        return None if first in caches else first
    if one.name == "aio" and first.startswith("threads="):
        return None if first.removeprefix("threads=") in pools else first
    if one.name == "access_log" and len(one.args) > 1 and "=" not in one.args[1] and one.args[1] != "gzip":
        return None if one.args[1] in formats else one.args[1]
    return None
