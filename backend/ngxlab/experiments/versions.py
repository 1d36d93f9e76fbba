"""Versions of an experiment: saved, listed, compared, exported, cloned."""

import difflib
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from ngxlab_contracts.sentences import say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.core.errors import Conflict, FieldProblem, NotFound
from ngxlab.definition.preview.definition import arm_previews, plan_preview
from ngxlab.definition.yaml import documents
from ngxlab.experiments import repository, service
from ngxlab.experiments.models import ExperimentVersion, definition_of
from ngxlab.experiments.preview_process import PreviewProcess
from ngxlab.experiments.schemas import (
    CloneRequest,
    DefinitionUpdate,
    ExperimentDetail,
    FieldChange,
    VersionDetail,
    VersionDiff,
    VersionSummary,
)

_ABSENT = object()


async def save(
    session: AsyncSession, caller: Caller, previews: PreviewProcess, experiment_id: UUID, request: DefinitionUpdate
) -> ExperimentDetail:
    """Save a new version if the definition changed. Raises Conflict if ``base_version`` is not the latest."""
    experiment = await service.get(session, experiment_id)
    require_owner(caller, experiment.created_by, "experiment")
    definition = await previews.definition(caller, request.definition)
    # The lock on the experiment's row makes version numbers unique.
    await session.refresh(experiment, with_for_update={"of": type(experiment), "key_share": True})
    latest = await repository.latest_version(session, experiment_id)
    if latest.number != request.base_version:
        message = say(
            "Version {number} was saved meanwhile; your changes are based on {base_version}.",
            number=latest.number,
            base_version=request.base_version,
        )
        errors = [FieldProblem(field="base_version", message=str(latest.number))]
        raise Conflict(message, code="version-changed", errors=errors)
    await service.save_version(session, caller, experiment, definition)
    if request.name is not None:
        experiment.name = request.name
    await session.flush()
    return await service.detail(session, caller, experiment_id)


async def clone(session: AsyncSession, caller: Caller, experiment_id: UUID, request: CloneRequest) -> ExperimentDetail:
    """A new experiment of the caller, with the definition of one version."""
    origin = await service.get(session, experiment_id)
    number = request.version or (await repository.latest_version(session, experiment_id)).number
    version = await _version(session, experiment_id, number)
    definition = definition_of(version)
    return await service.add(session, caller, request.name, definition, origin.template_key, team_id=origin.team_id)


async def _version(session: AsyncSession, experiment_id: UUID, number: int) -> ExperimentVersion:
    stored = await repository.version(session, experiment_id, number)
    if stored is None:
        await service.get(session, experiment_id)
        raise NotFound("This experiment has no version {number}.", number=number)
    return stored


def _summary(version: ExperimentVersion, author: str) -> VersionSummary:
    return VersionSummary(id=version.id, number=version.number, created_at=version.created_at, created_by=author)


async def summaries(session: AsyncSession, experiment_id: UUID) -> list[VersionSummary]:
    await service.get(session, experiment_id)
    return [_summary(*row) for row in await repository.versions(session, experiment_id)]


async def detail(session: AsyncSession, experiment_id: UUID, number: int) -> VersionDetail:
    stored = await _version(session, experiment_id, number)
    row = next(row for row in await repository.versions(session, experiment_id) if row[0].id == stored.id)
    definition = definition_of(stored)
    return VersionDetail(
        **_summary(*row).model_dump(),
        definition=definition,
        arms=arm_previews(definition),
        plan=plan_preview(definition),
    )


async def export(session: AsyncSession, experiment_id: UUID, number: int, schema_url: str) -> tuple[str, str]:
    """A file name and the YAML document."""
    stored = await _version(session, experiment_id, number)
    name = stored.experiment.name
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "experiment"
    definition = definition_of(stored)
    return f"{slug}-v{number}.yaml", documents.to_yaml(definition, name, schema_url)


async def diff(session: AsyncSession, experiment_id: UUID, before: int, after: int) -> VersionDiff:
    """The differences between two versions: of their YAML by line, and of their fields."""
    old, new = [definition_of(await _version(session, experiment_id, number)) for number in (before, after)]
    a, b = [documents.to_yaml(definition, None).splitlines(keepends=True) for definition in (old, new)]
    lines = difflib.unified_diff(a, b, fromfile=f"version {before}", tofile=f"version {after}")
    changes = list(changed_fields(old.model_dump(mode="json"), new.model_dump(mode="json")))
    return VersionDiff(before=before, after=after, text="".join(lines), changes=changes)


def changed_fields(before: Any, after: Any, path: str = "") -> Iterator[FieldChange]:
    """The smallest parts that differ; ``None`` on the side where a part is missing."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = list(dict.fromkeys([*before, *after]))
        pairs = [(key, before.get(key, _ABSENT), after.get(key, _ABSENT)) for key in keys]
    elif isinstance(before, list) and isinstance(after, list):
        length = max(len(before), len(after))
        padded = [[*items, *[_ABSENT] * (length - len(items))] for items in (before, after)]
        pairs = [(str(i), old, new) for i, (old, new) in enumerate(zip(*padded, strict=True))]
    else:
        if before != after or type(before) is not type(after):
            yield FieldChange(
                path=path,
                before=None if before is _ABSENT else before,
                after=None if after is _ABSENT else after,
            )
        return
    for key, old, new in pairs:
        yield from changed_fields(old, new, f"{path}.{key}" if path else str(key))
