"""/runs/ID/notes and /notes/ID."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.paging import Page, Paging
from ngxlab.notes import service
from ngxlab.notes.schemas import NoteChange, NoteCreate, NoteOut
from ngxlab.runs import service as runs
from ngxlab.runs.service import run_object

router = APIRouter(route_class=GuardedRoute, tags=["notes"])


@router.get("/runs/{run_id:uuid}/notes")
async def list_notes(run_id: UUID, session: SessionDep, caller: Viewer, page: Paging) -> Page[NoteOut]:
    """What people wrote of a run, its trials and moments of them, the oldest first."""
    await runs.get(session, run_id)
    return page.of(await service.of_run(session, run_id, caller))


@router.post("/runs/{run_id:uuid}/notes", status_code=status.HTTP_201_CREATED)
async def add_note(run_id: UUID, body: NoteCreate, session: SessionDep, caller: Experimenter) -> NoteOut:
    """Write a note on any run, on one of its trials, or on a moment of one, for everybody to read."""
    added = await service.add(session, caller, run_id, body)
    await record(session, caller.actor, Act.note_added, run_object(added.run), **_place(added.note))
    return added.note


@router.patch("/notes/{note_id:uuid}")
async def edit_note(note_id: UUID, body: NoteChange, session: SessionDep, caller: Experimenter) -> NoteOut:
    """Say one of your own notes in other words."""
    edited = await service.edit(session, caller, note_id, body)
    if edited.changed:
        await record(session, caller.actor, Act.note_edited, run_object(edited.run), **_written(edited.note))
    return edited.note


@router.delete("/notes/{note_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_note(note_id: UUID, session: SessionDep, caller: Experimenter) -> None:
    """Delete one of your own notes for good."""
    deleted = await service.delete(session, caller, note_id)
    await record(session, caller.actor, Act.note_deleted, run_object(deleted.run), **_written(deleted.note))


def _place(note: NoteOut) -> dict[str, Any]:
    """The note's place for the audit log, which keeps no text of a note."""
    return {"note": str(note.id), "trial_id": str(note.trial_id) if note.trial_id else None, "t_s": note.t_s}


def _written(note: NoteOut) -> dict[str, Any]:
    return _place(note) | {"author": note.author, "written_at": note.created_at.isoformat()}
