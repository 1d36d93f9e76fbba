"""The experiment that one or two configurations become: the first is the baseline, the second the other arm."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ngxlab_contracts.files import FileSet, LogNormalSizes
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.streams import PathChoice
from ngxlab_policy.arguments import USER
from ngxlab_policy.directives import is_listed

from ngxlab.configurations.conversion import PARTS, Converted
from ngxlab.configurations.differences import Difference, Merged, literal, merge, together, value
from ngxlab.configurations.directives import SITE
from ngxlab.configurations.made import every, text
from ngxlab.core.errors import Invalid
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition, ChosenDesign, Factor, Level, LevelValue, MatrixDesign
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.plan import Plan
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.schema.upstream_servers import UpstreamServer

Arms = Literal["together", "each"]
MOST_FACTORS = 10
FILES = 100
_SIZES = LogNormalSizes(kind="lognormal", median_bytes=8_000, sigma=1.2, max_bytes=500_000)
"""Many small files and few large ones, as on most sites."""

_AS_BROWSERS = {"Accept-Encoding": "gzip, deflate, br"}
"""Without it, nothing would be compressed."""
_OLD, _NEW, _CONFIGURATION = say("old"), say("new"), say("Configuration")
_AS_USER = {"Authorization": f"Basic {b64encode(f'{USER}:{USER}'.encode()).decode()}"}


@dataclass(frozen=True)
class Change:
    """What two configurations differ in, in one place. ``variables``: its value in each, by the variable's name."""

    key: str
    title: str
    part: str
    within: tuple[str, ...]
    old: str
    new: str
    variable: str
    values: tuple[LevelValue, LevelValue]


@dataclass(frozen=True)
class Experiment:
    """``groups``: numbers of ``changes`` that can only be chosen together, one group a factor where arms are apart.
    ``words``: the question and labels of ``definition`` that are words rather than names."""

    definition: Definition
    changes: list[Change]
    groups: list[list[int]]
    words: list[Sentence]


def of_one(name: str, converted: Converted) -> Experiment:
    texts = {part: "\n".join(map(literal, text(converted.parts[part]).split("\n"))) for part in PARTS}
    nginx = _nginx(texts, converted, converted)
    question = say("What does {name} do under load?", name=name)
    return Experiment(_definition(question, [], MatrixDesign(), nginx, [converted]), [], [], [question])


def of_two(names: tuple[str, str], old: Converted, new: Converted, arms: Arms) -> Experiment:
    """Raises Invalid where nothing of an experiment would differ."""
    if old.tcp != new.tcp:
        raise Invalid(
            "One configuration passes on connections (stream) and the other serves HTTP: they cannot be compared as "
            "one experiment.",
            code="tcp-and-http",
        )
    merged = merge(old.parts, new.parts)
    changes = list(_changes(merged, old, new))
    if not changes:
        raise Invalid(
            "The two configurations are the same once they are an experiment's: nothing that differs between them is "
            "part of one.",
            code="same-configurations",
        )
    groups = _groups(merged.differences, len(changes))
    nginx = _nginx(merged.texts, old, new)
    if arms == "each" and len(groups) > 1:
        factors = _factors(changes, groups)
        question = say("Which change between {old} and {new} makes the difference?", old=names[0], new=names[1])
        alone = [say("only {change}", change=name) for name in _short(changes, groups)]
        definition = _definition(question, factors, _each(factors, alone), nginx, [old, new])
        words = [question, *alone, _OLD, _NEW]
    else:
        question = say("Does {new} do better than {old}?", old=names[0], new=names[1])
        definition = _definition(question, [_one_factor(names, changes)], MatrixDesign(), nginx, [old, new])
        words = [question, _CONFIGURATION]
    return Experiment(definition, changes, groups, words)


def _numbers(old: Converted, new: Converted) -> Iterator[tuple[str, int, int]]:
    yield "workers", old.workers, new.workers
    yield "worker_connections", old.connections, new.connections


def _changes(merged: Merged, old: Converted, new: Converted) -> Iterator[Change]:
    for number, one in enumerate(merged.differences, 1):
        depth = len(one.within)
        values = (value(one.old, depth), value(one.new, depth))
        key = one.key(number)
        yield Change(key, one.title, one.part, one.within, text(one.old), text(one.new), key, values)
    for name, before, after in _numbers(old, new):
        if before != after:
            title = f"{name} {before} → {after}"
            yield Change(name.replace("_", "-"), title, "nginx", (), str(before), str(after), name, (before, after))
    if old.listen_options != new.listen_options:
        values = (old.listen_options, new.listen_options)
        title = f"listen {values[0] or '…'} → {values[1] or '…'}"
        yield Change("listen", title, "nginx", (), *values, "listen_options", values)


def _groups(differences: Sequence[Difference], number: int) -> list[list[int]]:
    """At most as many as an experiment has factors; the last then has all others."""
    groups = [*together(differences), *([one] for one in range(len(differences), number))]
    kept, others = groups[: MOST_FACTORS - 1], groups[MOST_FACTORS - 1 :]
    return [*kept, sorted(one for group in others for one in group)] if others else kept


def _one_factor(names: tuple[str, str], changes: Sequence[Change]) -> Factor:
    levels = [
        Level(key=key, label=name[:120], variables={one.variable: one.values[side] for one in changes})
        for side, (key, name) in enumerate(zip(("old", "new"), names, strict=True))
    ]
    return Factor(key="configuration", label=_CONFIGURATION, levels=levels)


def _factors(changes: Sequence[Change], groups: Sequence[Sequence[int]]) -> list[Factor]:
    factors = []
    for group in groups:
        own = [changes[number] for number in group]
        title = own[0].title if len(own) == 1 else f"{own[0].title}, and {len(own) - 1} more"
        levels = [
            Level(key=key, label=label, variables={one.variable: one.values[side] for one in own})
            for side, (key, label) in enumerate((("old", _OLD), ("new", _NEW)))
        ]
        factors.append(Factor(key=own[0].key, label=title[:120], levels=levels))
    return factors


_NUMBER, _OF_A_SERVER = re.compile(r"_\d+$"), re.compile(r"^upstream_.*_instance_.*")
_SHORT = 32
"""Characters of a change that names its arm."""


def _short(changes: Sequence[Change], groups: Sequence[Sequence[int]]) -> list[str]:
    """What each group changes, briefly: how, where that is short, else the directives, with a number where others have
    the same."""
    names = [_directives([changes[number] for number in group]) for group in groups]
    return [f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names, 1)]


def _directives(group: Sequence[Change]) -> str:
    if len(group) == 1 and len(group[0].title) <= _SHORT:
        return group[0].title
    found = dict.fromkeys(_OF_A_SERVER.sub("server", _NUMBER.sub("", one.key)) for one in group)
    first, *others = found
    return f"{first} + {len(others)}" if others else first


def _each(factors: Sequence[Factor], alone: Sequence[str]) -> ChosenDesign:
    """The old configuration, the old one with each change alone, which has a label of ``alone``, and the new one."""
    every = {factor.key: "old" for factor in factors}
    arms = [ArmDefinition(key="old", label=_OLD, levels=every)]
    arms += [
        ArmDefinition(key=factor.key, label=label, levels={**every, factor.key: "new"})
        for factor, label in zip(factors, alone, strict=True)
    ]
    arms.append(ArmDefinition(key="new", label=_NEW, levels=dict.fromkeys(every, "new")))
    return ChosenDesign(kind="chosen", arms=arms)


def _nginx(texts: Mapping[str, str], old: Converted, new: Converted) -> NginxTemplate:
    """Fields that differ name the variable that has their value."""
    files = [FileSet(folder=SITE, count=FILES, sizes=_SIZES, content="html")]
    return NginxTemplate(
        workers="{{ workers }}" if old.workers != new.workers else old.workers,
        worker_connections="{{ worker_connections }}" if old.connections != new.connections else old.connections,
        listen_options="{{ listen_options }}" if old.listen_options != new.listen_options else old.listen_options,
        main=texts["main"],
        allow_directives=" ".join(sorted(_beyond_the_list(old) | _beyond_the_list(new))),
        events=texts["events"],
        http=texts["http"],
        server=texts["server"],
        tls=old.tls,
        tcp=old.tcp,
        files=files if old.serves_files or new.serves_files else [],
    )


def _beyond_the_list(converted: Converted) -> set[str]:
    """Directives that it needs the leave of the host's owner for."""
    everything = (one for part in PARTS for one in every(converted.parts[part]))
    return {one.name for one in everything if not is_listed(one.name) and converted.leave.covers(one.name)}


def _definition(
    question: str,
    factors: list[Factor],
    design: MatrixDesign | ChosenDesign,
    nginx: NginxTemplate,
    configurations: Sequence[Converted],
) -> Definition:
    return Definition(
        question=str(question)[:2000],
        factors=factors,
        design=design,
        baseline="old" if factors else "only",
        nginx=nginx,
        upstream_servers=_both(configurations[0].upstreams, configurations[-1].upstreams),
        streams=[_stream(configurations[0])],
        plan=Plan(blocks=5, warmup_s=2, measure_s=8),
    )


def _both(old: Sequence[UpstreamServer], new: Sequence[UpstreamServer]) -> list[UpstreamServer]:
    """Those of both, each with as many instances as the one that has more."""
    found = {one.key: one for one in old}
    for one in new:
        before = found.get(one.key)
        found[one.key] = (
            one if before is None else before.model_copy(update={"instances": max(before.instances, one.instances)})
        )
    return list(found.values())


def _stream(converted: Converted) -> Stream:
    path = converted.path
    many = "{n}" in path
    asks = any(one.name == "auth_basic_user_file" for part in PARTS for one in every(converted.parts[part]))
    return Stream(
        key="clients",
        threads=1,
        connections=16,
        path="/" if many else path,
        paths=PathChoice(pattern=path, count=FILES) if many else None,
        headers=({} if converted.host is None else {"Host": converted.host})
        | _AS_BROWSERS
        | (_AS_USER if asks else {}),
    )
