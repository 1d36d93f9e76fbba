"""Rules for the statuses that a stream expects."""

from collections.abc import Iterator

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.statuses import SERVED, Status, covers

from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.sections import Sections


def problems(sections: Sections) -> list[DefinitionProblem]:
    return [problem for i, stream in enumerate(sections.streams or ()) for problem in _of(f"streams.{i}", stream)]


def _of(field: str, stream: Stream) -> Iterator[DefinitionProblem]:
    for i, status in enumerate(stream.rejected_statuses):
        if any(_overlap(status, served) for served in stream.served_statuses):
            message = f"{status} is among served_statuses: a response is either served or rejected"
            yield DefinitionProblem(field=f"{field}.rejected_statuses.{i}", message=message)
    if ENGINES[stream.engine].tells_statuses:
        return
    able = " or ".join(engine.key for engine in ENGINES.values() if engine.tells_statuses)
    if set(stream.served_statuses) != set(SERVED):
        message = f"engine {stream.engine} takes what is below 400 as served: leave this out, or use engine {able}"
        yield DefinitionProblem(field=f"{field}.served_statuses", message=message)
    if stream.rejected_statuses and stream.script is not None:
        message = f"a script leaves no place to count statuses: leave one of them out, or use engine {able}"
        yield DefinitionProblem(field=f"{field}.rejected_statuses", message=message)


def _overlap(one: Status, other: Status) -> bool:
    """Whether a status is of both."""
    if isinstance(one, str):
        return one == other or (isinstance(other, int) and covers([one], other))
    return covers([other], one)
