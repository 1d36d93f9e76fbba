"""A database of another encoding than UTF8 is refused before anything is made in it."""

import asyncio
import os
import subprocess
import sys
from uuid import uuid4

import asyncpg
import pytest
from harness import COORDINATOR_TOKEN


async def _ask(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def _server(url: str, *words: str) -> "subprocess.CompletedProcess[str]":
    told = {"DATABASE_URL": url, "REDIS_URL": "redis://unused", "NGXLAB_COORDINATOR_TOKEN": COORDINATOR_TOKEN}
    command = [sys.executable, "-m", "ngxlab.cli", *words]
    return subprocess.run(command, env=os.environ | told, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_it_is_refused_with_what_to_make_instead(postgresql_url: str, encoding: str) -> None:
    name = f"old_{uuid4().hex[:8]}"
    made = f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'"
    asyncio.run(_ask(postgresql_url, made))
    url = postgresql_url.rpartition("/")[0] + f"/{name}"
    done = _server(url, "migrate")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"The database {name} has the encoding {encoding}; ngxlab needs UTF8")
    assert "createdb --template=template0 --encoding=UTF8" in done.stderr
    assert done.stderr.count("\n") == 1
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert asyncio.run(_ask(url, tables)) == 0
