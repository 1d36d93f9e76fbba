"""What a chat or a search engine shows of a link to a report: its name and its verdict in words."""

import asyncio
from html import escape

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request

from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import NotFound
from ngxlab.reports import service
from ngxlab.reports.redaction import redacted
from ngxlab.runs import service as runs
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunSummary

_MOST_CHARACTERS = 300
_LONGEST_S = 5.0
_PLACE = "/shared/"


async def head(request: Request) -> str:
    """Elements for the head of the page; none where the address is not that of a link that works.

    A preview is no opening: it is not counted, and says no more than a list of runs does. The page is there without it
    while the database is not.
    """
    path = request.url.path
    if not path.startswith(_PLACE):
        return ""
    database: Database = request.app.state.database
    settings: Settings = request.app.state.settings
    try:
        async with asyncio.timeout(_LONGEST_S), database.transaction() as session:
            share = await service.shared(session, path.removeprefix(_PLACE).strip("/"))
            run = run_summary(await runs.get(session, share.run_id))
    except (NotFound, SQLAlchemyError, OSError):  # TimeoutError is an OSError
        return ""
    title = redacted(f"{run.experiment_name} #{run.number}")
    told = {"og:type": "article", "og:site_name": "ngxlab", "og:title": title, "og:description": _verdict(run)}
    told["og:url"] = f"{settings.public_url}{path}"
    lines = [f'<meta property="{name}" content="{escape(text)}" />' for name, text in told.items()]
    lines.append(f'<meta name="description" content="{escape(told["og:description"])}" />')
    return f"<title>{escape(title)} · ngxlab</title>" + "".join(lines)


def _verdict(run: RunSummary) -> str:
    text = redacted(run.headline or f"The run is {run.state}.")
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
