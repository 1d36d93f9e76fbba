"""Payloads of configurations of somebody's own."""

from typing import Annotated, Literal

from ngxlab_contracts.sentences import Sentence
from pydantic import BaseModel, Field, model_validator

from ngxlab.configurations.experiment import Arms
from ngxlab.configurations.records import Action
from ngxlab.core.payload import Id, Name, OneLine, Payload
from ngxlab.definition.preview.schemas import MetricChoice, PlanPreview
from ngxlab.definition.schema.definition import Definition

MOST_CHARACTERS = 1 << 20
"""Of all files of a request together."""


class ConfigurationFile(Payload):
    """``path``: what ``include`` calls it. ``text``: its contents, with ``********`` in the place of each secret."""

    path: Annotated[OneLine, Field(max_length=500)]
    text: Annotated[str, Field(max_length=MOST_CHARACTERS)]


class OwnConfiguration(Payload):
    """``name``: for people. The first of ``files`` is the one that nginx is started with, or the output of
    ``nginx -T``; the others are those that it includes. ``server``: the number of the server block that gets the load,
    from 0; without it, the longest."""

    name: Name
    files: Annotated[list[ConfigurationFile], Field(min_length=1, max_length=300)]
    server: Annotated[int, Field(ge=0, le=10_000)] | None = None


class ConversionRequest(Payload):
    """``configurations``: one, or two to compare, of which the first becomes the baseline.

    ``arms``: ``together`` compares the two, ``each`` makes an arm of each change between them, too. ``host_id``: the
    host whose nginx will run it. ``path``: what the load asks for. ``workers``: in the place of ``auto``.
    """

    configurations: Annotated[list[OwnConfiguration], Field(min_length=1, max_length=2)]
    arms: Arms = "together"
    host_id: Id | None = None
    path: Annotated[str, Field(pattern=r"^/\S*$", max_length=2000)] | None = None
    workers: Annotated[int, Field(ge=1, le=256)] | None = None

    @model_validator(mode="after")
    def _not_too_long(self) -> "ConversionRequest":
        if sum(len(file.text) for one in self.configurations for file in one.files) > MOST_CHARACTERS:
            raise ValueError(f"all files together have more than {MOST_CHARACTERS:,} characters")
        return self


class ConvertedLine(BaseModel):
    """``file``: the file that it stands in; ``line``: its number there, from 1; ``text``: the directive. ``action``:
    what became of it. ``reason``: why it was replaced or dropped. ``becomes``: the lines of the experiment that stand
    for it. ``masked``: a secret in it was taken out before it was sent."""

    file: str
    line: int
    text: str
    action: Action
    reason: Sentence | None
    becomes: list[str]
    masked: bool


class ServerBlock(BaseModel):
    """A server block that could get the load. ``number``: its place, from 0; ``title``: its names, listeners and
    line."""

    number: int
    title: str


class ConvertedConfiguration(BaseModel):
    """``name``: what it is called; ``lines``: its directives, in their order. ``kept``, ``replaced``, ``dropped``: how
    many of them; ``masked``: how many have a secret that was taken out. ``server``: the number of the server block that
    gets the load; ``servers``: those that could."""

    name: str
    lines: list[ConvertedLine]
    kept: int
    replaced: int
    dropped: int
    masked: int
    server: int
    servers: list[ServerBlock]


class ConfigurationChange(BaseModel):
    """Where two configurations differ. ``key``: the variable that has its value; ``title``: in a line, for people.
    ``part``: of the experiment's nginx; ``within``: the blocks around it. ``old``: what the first has there, empty
    where it has nothing; ``new``: what the second has. ``group``: changes of one number can only be made together."""

    key: str
    title: str
    part: str
    within: list[str]
    old: str
    new: str
    group: int


Question = Literal["server", "workers"]


class Conversion(BaseModel):
    """``configurations``: what became of each; ``changes``: where two differ. ``questions``: what was chosen without
    being asked for. ``path``: what the load asks for; ``workers``: of the first configuration. ``notes``: what else is
    to be known. ``name``: for the experiment; ``definition``: the experiment; ``yaml``: the same as a document.
    ``primary``: the metrics that its verdict is about.
    ``words``: its question and its labels, as far as they are words rather than names of files and directives.
    ``plan``: what a run of it takes."""

    configurations: list[ConvertedConfiguration]
    changes: list[ConfigurationChange]
    questions: list[Question]
    path: str
    workers: int
    notes: list[Sentence]
    name: str
    definition: Definition
    primary: list[MetricChoice]
    words: list[Sentence]
    plan: PlanPreview
    yaml: str
