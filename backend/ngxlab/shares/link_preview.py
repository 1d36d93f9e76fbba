"""What a chat or a search engine shows of a link: the name of what it shows, and the verdict in words.

nginx asks for these pages here, and has the page without a preview where there is none.
"""

import asyncio
import re
from html import escape

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.concurrency import run_in_threadpool

from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.errors import NotFound
from ngxlab.core.stored_json import Unreadable
from ngxlab.front.answers import PAGE_HEADERS
from ngxlab.reports.redaction import redacted
from ngxlab.runs import service as runs
from ngxlab.runs.presentation import run_summary
from ngxlab.shares import repository, service
from ngxlab.shares.picture import HEIGHT, WIDTH
from ngxlab.shares.subjects import OfReport, Subject, subject_of

_MOST_CHARACTERS = 300
_LONGEST_S = 5.0
_PLACE = re.compile(r"/shared/([^/]+)(/comparison|/trends)?/?")

router = APIRouter(route_class=GuardedRoute, dependencies=[Depends(public)], include_in_schema=False)


@router.get("/shared/{token}")
@router.get("/shared/{token}/comparison")
@router.get("/shared/{token}/trends")
async def page(request: Request) -> HTMLResponse:
    """The frontend's page with a head of its own. Raises NotFound where the build is elsewhere."""
    settings: Settings = request.app.state.settings
    if settings.frontend_dir is None:
        raise NotFound("There is no such page.")
    text = await run_in_threadpool((settings.frontend_dir / "index.html").read_text)
    if more := await _head(request):
        if "<title>" in more:
            text = re.sub(r"<title>[^<]*</title>", "", text, count=1)
        text = text.replace("</head>", f"{more}</head>", 1)
    return HTMLResponse(text, headers=PAGE_HEADERS)


async def _head(request: Request) -> str:
    """Elements for the head of the page; none where the address is not that of a link that works.

    A preview is no opening: it is not counted, and says no more than a list of runs does. The page is there without it
    while the database is not.
    """
    path = request.url.path
    if (place := _PLACE.fullmatch(path)) is None:
        return ""
    database: Database = request.app.state.database
    settings: Settings = request.app.state.settings
    try:
        async with asyncio.timeout(_LONGEST_S), database.transaction() as session:
            share = await service.shared(session, place[1])
            subject = subject_of(share)
            if subject.path != (place[2] or ""):
                return ""
            kept = (await repository.kept(session, [share.id])).get(share.id)
            title, said = redacted(await subject.title(session)), await _said(session, kept, subject)
    except (NotFound, Unreadable, SQLAlchemyError, OSError):  # TimeoutError is an OSError
        return ""
    told = {"og:type": "article", "og:site_name": "ngxlab", "og:title": title, "og:description": said}
    told["og:url"] = f"{settings.public_url}{path}"
    if kept is not None:
        told["og:image"] = f"{settings.public_url}/api/v1/shared/{place[1]}/picture.png"
        told |= {"og:image:width": str(WIDTH), "og:image:height": str(HEIGHT), "twitter:card": "summary_large_image"}
    lines = [f'<meta property="{name}" content="{escape(text)}" />' for name, text in told.items()]
    lines.append(f'<meta name="description" content="{escape(told["og:description"])}" />')
    return f"<title>{escape(title)} · ngxlab</title>" + "".join(lines)


async def _said(session: AsyncSession, kept: repository.Kept | None, subject: Subject) -> str:
    """As the link shows it; of a report that has not been kept yet, what lists of runs say."""
    if kept is not None:
        text = kept.headline
    elif isinstance(subject, OfReport):
        run = run_summary(await runs.get(session, subject.run_id))
        text = redacted(run.headline or f"The run is {run.state}.")
    else:
        text = ""
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
