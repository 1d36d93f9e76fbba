"""What is logged of an unexpected error, and what is not."""

import asyncio
import json

import httpx2
from fastapi import FastAPI
from ngxlab.core import errors
from structlog.testing import capture_logs

SECRET = "the-secret-of-a-link"


def test_the_secret_of_a_link_is_not_logged() -> None:
    app = FastAPI()
    errors.install(app)

    @app.get("/shared/{token}")
    async def shared(token: str) -> None:
        raise RuntimeError("out of order")

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://lab") as client:
            return await client.get(f"/shared/{SECRET}?also={SECRET}")

    with capture_logs() as logged:
        answer = asyncio.run(ask())
    assert (answer.status_code, answer.json()["code"]) == (500, "internal-error")
    (entry,) = logged
    assert entry["route"] == "/shared/{token}"
    assert SECRET not in json.dumps(entry, default=str)
