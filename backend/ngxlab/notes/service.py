"""Write, read, edit and delete notes."""

from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.accounts.models import Role
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, Invalid, existing
from ngxlab.notes import repository
from ngxlab.notes.models import Note
from ngxlab.notes.schemas import MOST_OF_A_RUN, NoteChange, NoteCreate, NoteOut
from ngxlab.runs import repository as runs
from ngxlab.runs import service as run_service
from ngxlab.runs.models import Run, definition_of
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunSummary


class Noted(NamedTuple):
    """A note that was written, edited or deleted, and its run. ``changed``: whether anything is not as it was."""

    note: NoteOut
    run: RunSummary
    changed: bool = True


async def of_run(session: AsyncSession, run_id: UUID, caller: Caller | None) -> list[NoteOut]:
    """Notes on the run and its trials, the oldest first. ``caller``: ``None`` for the reader of a share."""
    return [_shown(note, caller) for note in await repository.of_run(session, run_id)]


async def add(session: AsyncSession, caller: Caller, run_id: UUID, asked: NoteCreate) -> Noted:
    """Raises Invalid for a trial of another run and a moment without load, and Conflict where there are too many."""
    run = existing(await runs.lock_run(session, run_id), "run")
    if asked.trial_id is not None:
        await _require_place(session, run, asked.trial_id, asked.t_s)
    if await repository.count(session, run_id) >= MOST_OF_A_RUN:
        raise Conflict(
            "A run has at most {most} notes. Delete others first.", most=MOST_OF_A_RUN, code="too-many-notes"
        )
    note = Note(run_id=run_id, created_by=caller.account.id, **asked.model_dump())
    session.add(note)
    await session.flush()
    await session.refresh(note)
    return Noted(_shown(note, caller), run_summary(run))


async def _require_place(session: AsyncSession, run: Run, trial_id: UUID, t_s: float | None) -> None:
    trial = await runs.trial(session, trial_id)
    if trial is None or trial.run_id != run.id:
        raise Invalid("The trial is not one of this run.", code="trial-of-another-run")
    plan = definition_of(run).plan
    if t_s is not None and not -plan.warmup_s <= t_s <= plan.measure_s:
        raise Invalid(
            "A trial lasts from {begin:g} s to {end:g} s: choose a moment of it.",
            begin=-plan.warmup_s,
            end=plan.measure_s,
            code="moment-outside-trial",
        )


async def edit(session: AsyncSession, caller: Caller, note_id: UUID, asked: NoteChange) -> Noted:
    note = await _own(session, caller, note_id)
    changed = note.text != asked.text
    if changed:
        note.text, note.edited_at = asked.text, utcnow()
        await session.flush()
    return (await _noted(session, caller, note))._replace(changed=changed)


async def delete(session: AsyncSession, caller: Caller, note_id: UUID) -> Noted:
    note = await _own(session, caller, note_id)
    deleted = await _noted(session, caller, note)
    await session.delete(note)
    return deleted


async def _own(session: AsyncSession, caller: Caller, note_id: UUID) -> Note:
    """The note, for its author or an administrator."""
    note = existing(await repository.lock_note(session, note_id), "note")
    require_owner(caller, note.created_by, "note")
    return note


async def _noted(session: AsyncSession, caller: Caller, note: Note) -> Noted:
    return Noted(_shown(note, caller), run_summary(await run_service.get(session, note.run_id)))


def _shown(note: Note, caller: Caller | None) -> NoteOut:
    return NoteOut(
        id=note.id,
        trial_id=note.trial_id,
        t_s=note.t_s,
        text=note.text,
        author=(note.author_name or note.author.email) if caller is not None else None,
        created_at=note.created_at,
        edited_at=note.edited_at,
        may_change=caller is not None and _may_change(caller, note),
    )


def _may_change(caller: Caller, note: Note) -> bool:
    mine = caller.role == Role.experimenter and caller.account.id == note.created_by
    return mine or caller.role == Role.administrator
