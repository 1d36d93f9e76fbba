"""A report as one HTML file that needs no server: the built page with the data inside."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from pathlib import Path

from pydantic import BaseModel

from ngxlab.reports.schemas import Report

FILE = "offline/report.html"
_PLACE = '<script id="ngxlab-data" type="application/json">'


def template(frontend: Path | None) -> tuple[bytes, bytes] | None:
    """What stands before and after the data; None where no page was built."""
    path = frontend / FILE if frontend is not None else None
    if path is None or not path.is_file():
        return None
    before, place, after = path.read_text().partition(_PLACE)
    if not place:
        raise RuntimeError(f"{path} has no place for the data")
    return (before + place).encode(), after.encode()


async def pieces(
    around: tuple[bytes, bytes], report: Report, parts: Mapping[str, AsyncIterator[BaseModel]]
) -> AsyncGenerator[bytes]:
    """The file. ``parts``: lists beside the report, by name."""
    before, after = around
    yield before + b'{"report":' + _embedded(report.model_dump_json())
    for name, found in parts.items():
        separator = f',"{name}":['.encode()
        async for one in found:
            yield separator + _embedded(one.model_dump_json())
            separator = b","
        yield b"]" if separator == b"," else separator + b"]"
    yield b"}" + after


def _embedded(text: str) -> bytes:
    """JSON inside a script element: nothing in it can end the element or begin a comment."""
    for character in "<>&\u2028\u2029":
        text = text.replace(
            character, json.dumps(character)[1:-1] if ord(character) > 127 else f"\\u{ord(character):04x}"
        )
    return text.encode()
