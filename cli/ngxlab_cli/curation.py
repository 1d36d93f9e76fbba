"""Star runs that are worth keeping, tag them, write notes on them, and delete others."""

import argparse
import json
import sys
from typing import Any

from ngxlab_cli import models
from ngxlab_cli.access import find_access
from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import Exit

_CHANGES = {"+": "--add", "-": "--remove"}


def star(arguments: argparse.Namespace) -> Exit:
    with LabClient(find_access(arguments.url, arguments.token)) as client:
        client.star(arguments.run, starred=not arguments.remove)
    starred = not arguments.remove
    return _told(arguments, {"starred": starred}, "starred" if starred else "no longer starred")


def tag(arguments: argparse.Namespace) -> Exit:
    """Add and remove tags; without any, show those that there are."""
    with LabClient(find_access(arguments.url, arguments.token)) as client:
        tags = client.tag(arguments.run, arguments.add, arguments.remove)
    return _told(arguments, {"tags": tags}, ", ".join(tags) or "no tags")


def with_named_changes(words: list[str]) -> list[str]:
    """``+a`` and ``-b`` of ``ngxlab tag`` as options with names: argparse would take ``-b`` for an option itself."""
    if words[:1] != ["tag"]:
        return words
    return [f"{_CHANGES[word[0]]}={word[1:]}" if _is_change(word) else word for word in words]


def _is_change(word: str) -> bool:
    return len(word) > 1 and word[0] in _CHANGES and word[1] != "-" and word != "-h"


def note(arguments: argparse.Namespace) -> Exit:
    """Write a note; without a text, show those that there are."""
    with LabClient(find_access(arguments.url, arguments.token)) as client:
        if arguments.text is not None:
            added = client.add_note(arguments.run, arguments.text, arguments.trial, arguments.at)
            return _told(arguments, {"note": added.model_dump(mode="json")}, "note added")
        notes = client.notes(arguments.run)
    words = "\n\n".join(map(_written, notes)) or "no notes"
    return _told(arguments, {"notes": [one.model_dump(mode="json") for one in notes]}, words)


def _written(note: models.NoteOut) -> str:
    place = f", trial {note.trial_id}" if note.trial_id else ""
    moment = f" at {note.t_s:g} s" if note.t_s is not None else ""
    return f"{note.author}, {note.created_at:%Y-%m-%d %H:%M} UTC{place}{moment}:\n{note.text}"


def delete(arguments: argparse.Namespace) -> Exit:
    """The server refuses a run that goes on, and one whose links work unless ``--end-links`` says that they end."""
    with LabClient(find_access(arguments.url, arguments.token)) as client:
        client.delete_run(arguments.run, end_links=arguments.end_links)
    return _told(arguments, {"deleted": True}, "deleted")


def _told(arguments: argparse.Namespace, what: dict[str, Any], words: str) -> Exit:
    if arguments.json:
        document = {"exit_code": 0, "run": {"id": str(arguments.run), **what}}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        sys.stdout.write(f"run {arguments.run}: {words}\n")
    return Exit.OK
