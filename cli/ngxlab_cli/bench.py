"""``ngxlab bench``: one nginx configuration under load, or two and which is better."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from ngxlab_cli.client import LabClient
from ngxlab_cli.commands import begun
from ngxlab_cli.documents import Shown
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import Conversion, ConvertedConfiguration, ConvertedLine
from ngxlab_cli.requests import ConfigurationFile, ConversionRequest, OwnConfiguration
from ngxlab_cli.revision import chosen
from ngxlab_cli.secrets import includes, without_secrets
from ngxlab_cli.start import Order, assign, prepare, read_document, start
from ngxlab_cli.tables import columns

MOST_FILES = 300
MAIN = "nginx.conf"


def bench(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Convert, show what became of each line, run, and show the verdict."""
    hosts = assign(client.hosts(), arguments.host)
    request = ConversionRequest(
        configurations=[
            OwnConfiguration(name=path.name, files=files_of(path), server=arguments.server)
            for path in (arguments.old, arguments.new)
            if path is not None
        ],
        arms="each" if arguments.each else "together",
        host_id=hosts.by_slot.get("target", hosts.all_others),
        path=arguments.path,
        workers=arguments.workers,
    )
    made = client.call("POST", "/experiments/conversion", Conversion, request)
    if arguments.show:
        return Shown({"conversion": made.model_dump(mode="json")}, described(made, whole=True))
    if not arguments.quiet:
        sys.stderr.write(f"{described(made, whole=False)}\n\n")
    order = Order(
        document=made.yaml,
        hosts=arguments.host,
        nginx=arguments.nginx,
        name=arguments.name,
        note=arguments.note,
        revision=chosen(arguments, os.environ),
    )
    prepared = prepare(client, order)
    return begun(client, start(client, prepared, order), arguments)


def files_of(path: Path) -> list[ConfigurationFile]:
    """The configuration at ``path``, a file or a folder with an nginx.conf, and what it includes of its own folder,
    all without secrets. Raises ``UsageError``."""
    main = path / MAIN if path.is_dir() else path
    top = main.parent
    texts = {main: read_document(main)}
    todo = [main]
    while todo:
        for pattern in includes(texts[todo.pop()]):
            for found in _matching(pattern, top):
                if found not in texts:
                    texts[found] = read_document(found)
                    todo.append(found)
            if len(texts) > MOST_FILES:
                raise UsageError(f"{path} includes more than {MOST_FILES} files")
    return [
        ConfigurationFile(path=one.relative_to(top).as_posix(), text=without_secrets(text))
        for one, text in texts.items()
    ]


def _matching(pattern: str, top: Path) -> list[Path]:
    """The files below ``top`` that an ``include`` means; a folder in front, such as /etc/nginx, may differ. No
    link leads out of it."""
    parts = [part for part in PurePosixPath(pattern).parts if part not in {"/", "."}]
    if ".." in parts:
        return []
    fewest = 2 if len(parts) > 1 and any(sign in parts[-1] for sign in "*?[") else 1
    for skipped in range(len(parts) - fewest + 1):
        inside = (one for one in _below(top, parts[skipped:]) if one.resolve().is_relative_to(top.resolve()))
        if found := sorted(inside):
            return found
    return []


def _below(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Without files whose name begins with a dot."""
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        if not fnmatchcase(entry.name, parts[0]) or (entry.name.startswith(".") and not parts[0].startswith(".")):
            continue
        if len(parts) > 1:
            yield from _below(entry, parts[1:])
        elif entry.is_file():
            yield entry


def described(made: Conversion, *, whole: bool) -> str:
    """What became of the lines: of all, or of those that were not kept."""
    first, *others = made.configurations
    parts = [_of_one(first, whole=whole), *(_of_one(one, whole=whole, beside=first) for one in others)]
    if made.changes:
        parts.append("what differs\n" + "\n".join(f"  {change.title}" for change in made.changes))
    if "server" in made.questions:
        parts += [_servers(one) for one in made.configurations if len(one.servers) > 1]
    parts += [str(note) for note in made.notes]
    parts.append(f"load: GET {made.path}, {made.workers} worker{'' if made.workers == 1 else 's'}{_for_auto(made)}")
    parts.append(f"the verdict is about: {', '.join(metric.title for metric in made.primary)}")
    return "\n\n".join(parts)


def _servers(one: ConvertedConfiguration) -> str:
    head = f"Server blocks of {one.name} that could get the load: * gets it, --server NUMBER chooses another"
    rows = [f"{'*' if block.number == one.server else ' '} {block.number}  {block.title}" for block in one.servers]
    return "\n  ".join([head, *rows])


def _for_auto(made: Conversion) -> str:
    return " for auto (--workers chooses)" if "workers" in made.questions else ""


def _of_one(one: ConvertedConfiguration, *, whole: bool, beside: ConvertedConfiguration | None = None) -> str:
    """``beside``: the one that was shown before, whose lines are not told again unless all are."""
    masked = f", {one.masked} with a secret taken out" if one.masked else ""
    head = f"{one.name}: {one.kept} lines kept, {one.replaced} replaced, {one.dropped} dropped{masked}"
    told = set() if whole or beside is None else {_told(line) for line in beside.lines}
    rows = [_row(line) for line in one.lines if whole or (line.action != "kept" and _told(line) not in told)]
    if beside is not None and not whole and len(rows) < one.replaced + one.dropped:
        head += f"; as in {beside.name}{', but for' if rows else ''}"
    return f"{head}\n{columns(rows)}" if rows else head


def _told(line: ConvertedLine) -> tuple[str, str, str]:
    return line.text, line.action, str(line.reason)


_SIGNS = {"kept": " ", "replaced": "~", "dropped": "-"}


def _row(line: ConvertedLine) -> tuple[str, str, str]:
    became = f"  →  {' '.join(line.becomes)}" if line.action == "replaced" and line.becomes else ""
    reason = f"  ({line.reason})" if line.reason is not None else ""
    text = line.text if len(line.text) <= 60 else f"{line.text[:59]}…"
    return f"{_SIGNS[line.action]} {line.file}:{line.line}", text, f"{became}{reason}".strip()
