"""In what the set-ups of compared arms differ: what is asked about, and what else may explain a difference."""

import difflib
from collections.abc import Iterator, Mapping, Sequence

from ngxlab.compare.facts import Setup
from ngxlab.compare.loaded import LoadedRun
from ngxlab.compare.schemas import Difference, SetupDiff
from ngxlab.definition.yaml import documents

_LIKELY = ("configuration", "nginx", "host", "kernel", "wrk", "governor")
"""What a comparison is most probably about: the first of these that differs."""
_WITH = {"host": frozenset({"cpu", "memory", "governor"})}
"""Another host is other hardware."""

Pairs = Sequence[tuple[str, str]]
"""Keys of arms that are compared, each with what it is compared with."""


def differences(setups: Mapping[str, Setup], pairs: Pairs, factors: Sequence[str]) -> list[Difference]:
    """The factors first. ``factors``: keys of what the reader asks about; without any, what is most likely."""
    differing = list(dict.fromkeys(key for own, base in pairs for key in differing_keys(setups[own], setups[base])))
    chosen = set(factors) or _likely(differing)
    chosen |= {key for factor in chosen for key in _WITH.get(factor, ())}
    compared = list(dict.fromkeys(key for pair in pairs for key in reversed(pair)))
    found = [
        Difference(
            key=key,
            title=next(setups[arm].facts[key].title for arm in compared if key in setups[arm].facts),
            role="factor" if key in chosen else "confounder",
            values={arm: setups[arm].facts[key].value for arm in compared if key in setups[arm].facts},
        )
        for key in differing
    ]
    return sorted(found, key=lambda one: one.role != "factor")


def _likely(differing: Sequence[str]) -> set[str]:
    return {next((key for key in _LIKELY if key in differing), "")}


def differing_keys(own: Setup, base: Setup) -> list[str]:
    keys = list(dict.fromkeys([*base.facts, *own.facts]))
    return [key for key in keys if own.facts.get(key) != base.facts.get(key)]


def beside(own: Setup, base: Setup, found: Sequence[Difference]) -> list[str]:
    """Titles of confounders in which these two differ."""
    differing = set(differing_keys(own, base))
    return [one.title for one in found if one.role == "confounder" and one.key in differing]


def diffs(
    runs: Sequence[LoadedRun], setups: Mapping[str, Setup], labels: Mapping[str, str], pairs: Pairs
) -> list[SetupDiff]:
    """Of definitions against that of the first run, and of each pair's configurations; equal diffs once."""
    return [*_definitions(runs), *_configurations(setups, labels, pairs)]


def _definitions(runs: Sequence[LoadedRun]) -> Iterator[SetupDiff]:
    first = runs[0]
    for other in runs[1:]:
        if other.run.experiment_version_id == first.run.experiment_version_id:
            continue
        texts = [documents.to_yaml(one.definition, None) for one in (first, other)]
        names = [f"{one.label}, version {one.run.version.number}" for one in (first, other)]
        if (text := _diff(texts, names)) != "":
            yield SetupDiff(what="definition", before=names[0], after=names[1], text=text)


def _configurations(setups: Mapping[str, Setup], labels: Mapping[str, str], pairs: Pairs) -> Iterator[SetupDiff]:
    seen: set[tuple[str, str]] = set()
    for own, base in pairs:
        texts = (setups[base].config, setups[own].config)
        if texts[0] == texts[1] or texts in seen or "" in texts:
            continue
        seen.add(texts)
        names = [labels[base], labels[own]]
        yield SetupDiff(what="configuration", before=names[0], after=names[1], text=_diff(texts, names))


def _diff(texts: Sequence[str], names: Sequence[str]) -> str:
    before, after = (text.splitlines(keepends=True) for text in texts)
    return "".join(difflib.unified_diff(before, after, fromfile=names[0], tofile=names[1]))
