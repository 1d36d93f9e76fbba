"""nginx's first answers to a stream: are they what was declared, and are they the same in all arms?"""

from collections.abc import Sequence

from ngxlab_contracts.answers import FirstAnswer
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.statuses import Status, covers
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Answer

_OK = 200
_LONGEST_PATH, _LONGEST_TYPE, _LONGEST_ENCODING, _MOST_DIGITS = 2100, 200, 100, 15
_TYPES = {"json": "application/json", "html": "text/html", "text": "text/plain"}
"""By the declared content of files; random bytes have no type of their own."""


def after_load(stream: StreamSpec, told: Answer) -> FirstAnswer:
    """What the agent was told when the load had ended, of the first of the stream's paths."""
    size = told.headers.get("content-length", "")
    return FirstAnswer(
        stream=stream.key,
        method=stream.typical.method,
        path=stream.asked_path.replace("{n}", "0")[:_LONGEST_PATH],
        status=told.status,
        content_type=told.headers.get("content-type", "")[:_LONGEST_TYPE] or None,
        content_encoding=told.headers.get("content-encoding", "")[:_LONGEST_ENCODING] or None,
        body_bytes=int(size) if size.isdecimal() and len(size) < _MOST_DIGITS else None,
    )


def line(answer: FirstAnswer) -> str:
    """``GET /files/0 -> 404, text/html, 153 B``."""
    asked = f"{answer.method} {answer.path}"
    if answer.status is None:
        return f"{asked} -> no answer: {answer.failure}"
    kind = [answer.content_type or "no content type", *([answer.content_encoding] if answer.content_encoding else [])]
    size = [f"{answer.body_bytes:,} B"] if answer.body_bytes is not None else []
    return f"{asked} -> {', '.join([str(answer.status), *kind, *size])}"


def departures(answer: FirstAnswer, stream: StreamSpec, files: Sequence[FileSet]) -> list[Sentence]:
    """What is not as the stream, or the set of files that it reads, declares it."""
    if answer.status is None:
        return [] if stream.script is not None else [say("no answer came")]
    if stream.websocket is not None:
        return [] if stream.expects(answer.status) else [_not_switched(answer.status)]
    if not stream.expects(answer.status):
        return [
            say(
                "status {status} is an error: the stream names {served} as served",
                status=str(answer.status),
                served=_listed(stream.served_statuses),
            )
        ]
    read = _file(answer.path, files)
    if read is None or answer.status != _OK or not covers(stream.served_statuses, _OK) or answer.method != "GET":
        return []
    declared, size = read
    found = []
    got = answer.body_bytes
    if answer.content_encoding is None and got is not None and got != size:
        found.append(say("{bytes:,} B instead of the {size:,} B of the file", bytes=got, size=size))
    kind = _TYPES.get(declared.content)
    if kind is not None and _essence(answer.content_type) != kind:
        found.append(
            say(
                "type {type} instead of {kind}: nginx knows types by the ends of names, which these files do not have; "
                "name it by default_type",
                type=answer.content_type or "none",
                kind=kind,
            )
        )
    return found


def _not_switched(status: int) -> Sentence:
    return say(
        "status {status} instead of 101: nginx passes a WebSocket on by proxy_http_version 1.1, "
        "proxy_set_header Upgrade $http_upgrade and proxy_set_header Connection upgrade",
        status=str(status),
    )


def differences(answer: FirstAnswer, baseline: FirstAnswer | None) -> list[Sentence]:
    """How it differs from the baseline's answer to the same request."""
    if baseline is None or answer.status is None or baseline.status is None:
        return []
    pairs = (
        (say("status"), str(answer.status), str(baseline.status)),
        (say("type"), answer.content_type or "none", baseline.content_type or "none"),
        (say("encoding"), answer.content_encoding or "none", baseline.content_encoding or "none"),
        (say("bytes"), f"{answer.body_bytes or 0:,}", f"{baseline.body_bytes or 0:,}"),
    )
    return [
        say("{what} {here}, in the baseline {there}", what=what, here=here, there=there)
        for what, here, there in pairs
        if here != there
    ]


def _listed(statuses: Sequence[Status]) -> str:
    return ", ".join(str(status) for status in statuses)


def _essence(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def _file(path: str, files: Sequence[FileSet]) -> tuple[FileSet, int] | None:
    """The set and the size of the file that a path names by its set's folder and its number."""
    place, _, name = path.partition("?")[0].rpartition("/")
    folder = place.rpartition("/")[2]
    found = next((one for one in files if one.folder == folder), None)
    if found is None or not name.isdecimal() or int(name) >= found.count:
        return None
    return found, found.each_bytes[int(name)]
