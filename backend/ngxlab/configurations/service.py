"""From the files of one or two configurations to an experiment, with what became of each line."""

from collections.abc import Iterator, Sequence

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.configurations.conversion import Build, Choices, Converted, convert
from ngxlab.configurations.experiment import Experiment, of_one, of_two
from ngxlab.configurations.records import MASKED, Record
from ngxlab.configurations.schemas import (
    ConfigurationChange,
    Conversion,
    ConversionRequest,
    ConvertedConfiguration,
    ConvertedLine,
    OwnConfiguration,
    Question,
    ServerBlock,
)
from ngxlab.configurations.sound import settle
from ngxlab.definition.nginx.config import render
from ngxlab.definition.preview.definition import plan_preview
from ngxlab.definition.preview.schemas import MetricChoice
from ngxlab.definition.primary import differing, of_load, proposed
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import require
from ngxlab.definition.yaml import documents

_MOST_LINES_SHOWN = 3


def convert_all(request: ConversionRequest, build: Build | None, cpus: int | None) -> Conversion:
    """Raises Invalid where a configuration cannot be read, or two are the same experiment."""
    workers = request.workers or cpus or Choices.workers
    found = [_one(own, request, workers, build) for own in request.configurations]
    names = _names(request.configurations)
    if len(found) == 1:
        made = of_one(names[0], found[0])
    else:
        made = of_two((names[0], names[1]), found[0], found[1], request.arms)
    definition = _with_primary(require(made.definition.model_dump(mode="json")))
    title = listed(names, " or ")
    return Conversion(
        configurations=[_shown(name, one) for name, one in zip(names, found, strict=True)],
        changes=list(_changes(made)),
        questions=list(_questions(request, found, asks_workers=request.workers is None and cpus is None)),
        path=found[0].path,
        workers=found[0].workers,
        notes=list(_notes(found)),
        name=title[:120],
        definition=definition,
        primary=[MetricChoice(name=one.name, title=one.info.title) for one in _primary(definition)],
        words=[*made.words, title, *(name for name in names if isinstance(name, Sentence))],
        plan=plan_preview(definition),
        yaml=documents.to_yaml(definition, title[:120]),
    )


def _with_primary(definition: Definition) -> Definition:
    """The definition whose verdict is about what its arms differ in, where that speaks of metrics of its own."""
    directives = differing([render(definition, arm) for arm in definition.arms])
    primary = proposed(directives, of_load(definition.streams))
    return definition.model_copy(update={"plan": definition.plan.model_copy(update={"primary": primary})})


def _primary(definition: Definition) -> list[Metric]:
    by_name = {metric.name: metric for metric in METRICS}
    return [by_name[name] for name in definition.plan.primary or of_load(definition.streams)]


def _one(own: OwnConfiguration, request: ConversionRequest, workers: int, build: Build | None) -> Converted:
    files = {file.path: file.text for file in own.files}
    converted = convert(files, Choices(own.server, request.path, workers), build)
    settle(converted)
    return converted


def _names(configurations: Sequence[OwnConfiguration]) -> Sequence[str]:
    """Two files may have one name."""
    names = [one.name for one in configurations]
    return [say("{name} (old)", name=names[0]), say("{name} (new)", name=names[1])] if _alike(names) else names


def _alike(names: Sequence[str]) -> bool:
    return len(names) == 2 and names[0] == names[1]


def _shown(name: str, converted: Converted) -> ConvertedConfiguration:
    lines = [_line(record) for record in converted.records]
    actions = [line.action for line in lines]
    return ConvertedConfiguration(
        name=name,
        lines=lines,
        kept=actions.count("kept"),
        replaced=actions.count("replaced"),
        dropped=actions.count("dropped"),
        masked=sum(line.masked for line in lines),
        server=converted.server,
        servers=[ServerBlock(number=number, title=title) for number, title in converted.servers.items()],
    )


def _line(record: Record) -> ConvertedLine:
    becomes = record.becomes if record.action != "dropped" else []
    more = len(becomes) - _MOST_LINES_SHOWN
    return ConvertedLine(
        file=record.file,
        line=record.line,
        text=record.text,
        action=record.action,
        reason=record.reason,
        becomes=[*becomes[:_MOST_LINES_SHOWN], "…"] if more > 0 else becomes,
        masked=MASKED in record.text,
    )


def _changes(made: Experiment) -> Iterator[ConfigurationChange]:
    group_of = {number: place for place, group in enumerate(made.groups) for number in group}
    for number, one in enumerate(made.changes):
        yield ConfigurationChange(
            key=one.key,
            title=one.title,
            part=one.part,
            within=list(one.within),
            old=one.old,
            new=one.new,
            group=group_of[number],
        )


def _questions(request: ConversionRequest, found: Sequence[Converted], *, asks_workers: bool) -> Iterator[Question]:
    several = zip(request.configurations, found, strict=True)
    if any(own.server is None and len(one.servers) > 1 for own, one in several):
        yield "server"
    if asks_workers and any(one.asks_workers for one in found):
        yield "workers"


def _notes(found: Sequence[Converted]) -> Iterator[Sentence]:
    if len({one.tls for one in found}) > 1:
        yield say(
            "one configuration serves by TLS and the other does not; an experiment does the same in all arms, so both "
            "are run as the first is"
        )
    if len({one.path for one in found}) > 1:
        yield say("the load asks both for what the first answers: {path}", path=found[0].path)
