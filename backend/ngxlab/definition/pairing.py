"""What two versions of an experiment have nginx run, as two arms of one experiment: one of its arms at a base, such as
the commit that a branch began at, and the same arm in a change.

Load, plan and all else are the change's, and the same in both arms: only nginx differs.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ngxlab_contracts.sentences import Sentence, listed, say
from pydantic import BaseModel

from ngxlab.analysis.thresholds import parse
from ngxlab.core.errors import FieldProblem, Invalid
from ngxlab.core.payload import Payload
from ngxlab.definition.fragments import render_fragment
from ngxlab.definition.preview.schemas import YamlText
from ngxlab.definition.resolve import ResolveError, number, number_fields, words
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, ArmKey, LevelValue
from ngxlab.definition.schema.plan import text_of
from ngxlab.definition.validation import require
from ngxlab.definition.yaml import documents

_TEXTS = ("main", "events", "http", "server", "listen_options", "certificate_key")
_ELSE = ("tls", "tcp", "files", "request_times", "cold_files", "upstreams")
"""What cannot differ between arms."""
_SIDE = "ngxlab_revision"
_MOST_SHOWN = 4_000


def _written(name: str) -> Callable[..., str]:
    """A call as a fragment writes it, with the values of its options."""

    def call(*keys: object, **options: object) -> str:
        words = [*map(json.dumps, keys), *(f"{option}={json.dumps(value)}" for option, value in options.items())]
        return f"{{{{ {name}({', '.join(words)}) }}}}"

    return call


_CALLS = {name: _written(name) for name in ("servers", "upstream")}


class PairingRequest(Payload):
    """Two versions of an experiment's YAML document. ``base``: that at the base. ``change``: that of the change.
    ``arm``: the key of the arm that is compared, the baseline of each if not given."""

    base: YamlText
    change: YamlText
    arm: ArmKey | None = None


class PairedDifference(BaseModel):
    """``field``: of the definition, such as nginx.server. ``base``: what it is for nginx at the base. ``change``: what
    it is in the change."""

    field: str
    base: str
    change: str


class Pairing(BaseModel):
    """``yaml``: an experiment with the arms ``base`` and ``change``. ``differences``: what differs between them; none
    where nginx runs the same. ``others``: the keys of other arms in which it does not. ``kept``: the fields of what
    nginx runs, and of its upstream servers, that differ between the documents and cannot between arms, so that both
    have them of the change. ``notes``: that, and what else differs and is as in the change."""

    name: str
    yaml: str
    others: list[str]
    differences: list[PairedDifference]
    kept: list[str]
    notes: list[Sentence]


@dataclass(frozen=True)
class _Side:
    definition: Definition
    variables: dict[str, LevelValue]

    arm: ArmDefinition

    @classmethod
    def of(cls, definition: Definition, key: str) -> "_Side":
        arm = definition.arm(key)
        return cls(definition, definition.variables(arm), arm)

    @property
    def build(self) -> str | None:
        return self.definition.build(self.arm)

    def text(self, name: str) -> str:
        source = getattr(self.definition.nginx, name)
        return render_fragment(f"nginx.{name}", source, {**self.variables, **_CALLS}).text

    def numbers(self) -> dict[str, int | float]:
        return {path: number(path, one, self.variables) for path, one in number_fields(self.definition).items()}


def pair_documents(request: PairingRequest) -> Pairing:
    """Raises Invalid with all problems of a document, and where one has no such arm."""
    (_, base), (name, change) = (_read(which, getattr(request, which)) for which in ("base", "change"))
    before, after = (_Side.of(one, request.arm or one.baseline) for one in _with_arm(request.arm, base, change))
    definition = require(_paired(before, after))
    return Pairing(
        name=name,
        yaml=documents.to_yaml(definition, name),
        differences=list(_differences(before, after)),
        others=list(_others(before, after)),
        kept=list(_kept(base, change)),
        notes=list(_notes(base, after)),
    )


def _with_arm(arm: str | None, *definitions: Definition) -> Iterator[Definition]:
    for which, definition in zip(("base", "change"), definitions, strict=True):
        keys = [one.key for one in definition.arms]
        if arm is not None and arm not in keys:
            message = say("{arm} is no arm of this document: {arms} are", arm=arm, arms=listed(keys))
            raise Invalid(message, code="invalid-definition", errors=[FieldProblem(field=which, message=message)])
        yield definition


def _others(before: _Side, after: _Side) -> Iterator[str]:
    """The arms beside the compared one that both documents have, and that nginx runs differently."""
    old = {arm.key for arm in before.definition.arms}
    for arm in after.definition.arms:
        if arm.key in old - {after.arm.key}:
            sides = _Side.of(before.definition, arm.key), _Side.of(after.definition, arm.key)
            if next(_differences(*sides), None) is not None:
                yield arm.key


def _read(which: str, text: str) -> tuple[str, Definition]:
    try:
        return documents.require(text, None)
    except Invalid as error:
        errors = [FieldProblem(field=f"{which}.{one.field}", message=one.message) for one in error.errors]
        raise Invalid(error.detail, code="invalid-definition", errors=errors) from error


def _differences(before: _Side, after: _Side) -> Iterator[PairedDifference]:
    for name in _TEXTS:
        yield from _difference(f"nginx.{name}", before.text(name), after.text(name))
    old, new = before.numbers(), after.numbers()
    for path in _own_numbers(new):
        yield from _difference(path, f"{old[path]:g}", f"{new[path]:g}")
    yield from _difference("nginx.build", before.build or "", after.build or "")


def _difference(field: str, base: str, change: str) -> Iterator[PairedDifference]:
    if base != change:
        yield PairedDifference(field=field, base=base[:_MOST_SHOWN], change=change[:_MOST_SHOWN])


def _own_numbers(numbers: Mapping[str, int | float]) -> list[str]:
    """Of nginx itself; its upstream groups are the change's."""
    return [path for path in numbers if path.startswith("nginx.") and path.count(".") == 1]


def _paired(before: _Side, after: _Side) -> dict[str, Any]:
    """The definition with both: where a text differs, each arm has its own, with its own variables."""
    old, new = before.numbers(), after.numbers()
    content = after.definition.model_dump(mode="json")
    load = _fill(content, after)
    nginx, differ = content["nginx"], [path for path in _own_numbers(new) if old[path] != new[path]]
    for name in _TEXTS:
        nginx[name] = _either(getattr(before.definition.nginx, name), nginx[name])
    for path in _own_numbers(new):
        nginx[path.partition(".")[2]] = f"{{{{ {_variable(path)} }}}}" if path in differ else new[path]
    allowed = {*before.definition.nginx.allow_directives.split(), *after.definition.nginx.allow_directives.split()}
    nginx |= {"allow_directives": " ".join(sorted(allowed)), "build": None}
    every = {"base": (before, old), "change": (after, new)}
    levels = [
        {
            "key": key,
            "label": key,
            "variables": {
                **before.variables, **after.variables, **side.variables, **load, _SIDE: key,
                **{_variable(path): numbers[path] for path in differ},
            },
            "build": side.build,
        }
        for key, (side, numbers) in every.items()
    ]  # fmt: skip
    return content | {
        "template": None,
        "factors": [{"key": "revision", "label": "Revision", "levels": levels}],
        "design": {"kind": "matrix"},
        "baseline": "base",
        "thresholds": list(_thresholds(after)),
        "plan": content["plan"] | {"selection": None},
    }


def _either(base: str, change: str) -> str:
    if base == change:
        return change
    end = "\n" if "\n" in f"{base}{change}" else ""
    return f'{{% if {_SIDE} == "base" %}}{end}{base}{end}{{% else %}}{end}{change}{end}{{% endif %}}{end}'


def _variable(path: str) -> str:
    return f"{_SIDE}_{path.rpartition('.')[2]}"


def _fill(content: dict[str, Any], side: _Side) -> dict[str, LevelValue]:
    """Values in the place of expressions of the load and of all else that must not differ. A word stays an expression,
    of a variable that is returned: an offer of HTTP/2 to clients that do not take it is meant where clients vary."""
    own, load = set(_own_numbers(side.numbers())), dict[str, LevelValue]()
    found: dict[str, Any] = {path: value for path, value in side.numbers().items() if path not in own}
    for path, word in words(side.definition, side.variables):
        if isinstance(word, ResolveError):
            raise word
        load[f"{_SIDE}_{path.replace('.', '_')}"] = word
        found[path] = f"{{{{ {_SIDE}_{path.replace('.', '_')} }}}}"
    for path, value in found.items():
        *way, name = path.split(".")
        place: Any = content
        for part in way:
            place = place[int(part) if isinstance(place, list) else part]
        if isinstance(place[name], str) and "{" in place[name]:
            place[name] = value
    return load


def _thresholds(after: _Side) -> Iterator[str]:
    """Those of every arm and of the compared one are of the change; those of other arms have no arm here."""
    for entry in after.definition.thresholds:
        text = text_of(entry)
        if (arm := parse(text).arm) in {None, after.arm.key}:
            words = text.split()
            yield " ".join([*(words if arm is None else words[:-2]), "for", "change"])


def _kept(base: Definition, change: Definition) -> Iterator[str]:
    yield from (f"nginx.{name}" for name in _ELSE if getattr(base.nginx, name) != getattr(change.nginx, name))
    if base.upstream_servers != change.upstream_servers:
        yield "upstream_servers"


def _notes(base: Definition, after: _Side) -> Iterator[Sentence]:
    change = after.definition
    names = list(_kept(base, change))
    own = ("streams", "perturbations", "plan", "profile", "placement")
    names += [name for name in own if getattr(base, name) != getattr(change, name)]
    if names:
        yield say("Both arms have this of the change: {names}.", names=listed(names))
    if len(list(_thresholds(after))) < len(change.thresholds):
        yield say("Thresholds of other arms than the compared one are not looked at.")
