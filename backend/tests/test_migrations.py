"""What is stored survives a migration under its new names."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from alembic import command
from alembic.config import Config
from ngxlab.accounts.secrets import token_hash
from ngxlab.core import migrate
from ngxlab.definition.validation import validate
from ngxlab_contracts.perturbations import HttpCall
from ngxlab_contracts.trials import TrialSpec

_DEFINITION = {
    "schema_version": 1,
    "question": "Is it stored?",
    "factors": [
        {
            "key": "backend",
            "label": "Backend",
            "levels": [{"key": "on", "label": "on", "variables": {"check": "1", "pool": '{{ backend("app") }}'}}],
        }
    ],
    "baseline": "on",
    "nginx": {
        "workers": 1,
        "worker_connections": 64,
        "http": 'upstream app { {{ backend("app") }} }',
        "server": "location / { proxy_pass http://app; }",
    },
    "backends": [{"key": "app", "slot": "backend", "server": "location / { return 200; }"}],
    "streams": [{"key": "main", "connections": 1}],
    "perturbations": [
        {
            "key": "call",
            "slot": "backend",
            "when": {"kind": "once", "at_s": 1},
            "action": {"kind": "http", "endpoint": "backend.app", "method": "GET", "path": "/"},
        }
    ],
    "plan": {"blocks": 1, "warmup_s": 0, "measure_s": 5},
}
_NGINX = {
    "binary": "/usr/sbin/nginx",
    "config": "server_name backend.example; upstream app { @@backend.app@@ }",
    "workers": 1,
    "backends": ["backend.app"],
    "upstreams": {"through": "api", "groups": [{"name": "a", "nodes": 2, "backend": "backend.app", "check": ""}]},
}
_SPEC = {
    "trial_id": str(UUID(int=1)),
    "run_id": str(UUID(int=2)),
    "host_id": str(UUID(int=3)),
    "arm": "on",
    "block": 1,
    "position": 0,
    "attempt": 1,
    "nginx": _NGINX,
    "backends": [{"key": "app", "binary": "/usr/sbin/nginx", "config": "", "instances": 1}],
    "perturbations": [
        {
            "key": "call",
            "when": {"kind": "once", "at_s": 1},
            "action": {"kind": "http", "endpoint": "backend.app", "method": "GET", "path": "/"},
        }
    ],
    "timing": {"warmup_s": 0, "measure_s": 5},
    "sampling": {},
}
_SERIES = [
    {"name": "backend_connections_active", "labels": {"backend": "app"}, "unit": "connections", "kind": "gauge"},
    {"name": "ngxlab_process_run_seconds_total", "labels": {"role": "backend"}, "unit": "seconds", "kind": "counter"},
]
_INVENTORY = {"hostname": "backend", "agent_version": "0.0.7", "caps": {"roles": ["target", "backend"]}}

Connected = Callable[[asyncpg.Connection], Awaitable[Any]]


@pytest.fixture
def database(postgresql_url: str) -> str:
    """The URL of a database as version 0005 left it."""
    name = f"before_{uuid4().hex[:8]}"
    asyncio.run(_with(postgresql_url, lambda connection: connection.execute(f"CREATE DATABASE {name}")))
    url = postgresql_url.rpartition("/")[0] + f"/{name}"
    command.upgrade(_alembic(url), "0005")
    return url


def _alembic(url: str) -> Config:
    return migrate.alembic_config(url.replace("postgresql://", "postgresql+asyncpg://"))


async def _with(url: str, work: Connected) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await work(connection)
    finally:
        await connection.close()


async def _store(connection: asyncpg.Connection) -> None:
    """Rows of the tables concerned, without those that they refer to, which nobody asks for from here on."""
    name = await connection.fetchval("SELECT current_database()")
    await connection.execute(f"ALTER DATABASE {name} SET session_replication_role = replica")
    await connection.execute("SET session_replication_role = replica")
    one = uuid4()
    rows: dict[str, dict[str, Any]] = {
        "experiment_version": {
            "id": one,
            "experiment_id": one,
            "number": 1,
            "created_by": one,
            "definition": _DEFINITION,
        },
        "trial_part": {
            "trial_id": one,
            "host_id": one,
            "spec": _SPEC,
            "acked_seq": 0,
            "ended_streams": 0,
            "endpoints": [{"name": "backend.app", "address": "127.0.0.1", "ports": [1]}],
        },
        "layout": {"trial_id": one, "host_id": one, "id": 1, "collector": "x", "series": _SERIES},
        "trial_event": {
            "trial_id": one,
            "host_id": one,
            "t_us": 1,
            "live_seq": 1,
            "event": {"kind": "process", "role": "backend", "pid": 1},
        },
        "host": {"id": one, "name": "h", "credential_hash": "x", "inventory": _INVENTORY, "draining": False},
        "run_host": {"run_id": one, "slot": "backend", "host_id": one, "address": "127.0.0.1", "inventory": _INVENTORY},
    }
    for table, row in rows.items():
        values = [json.dumps(value) if isinstance(value, (dict, list)) else value for value in row.values()]
        places = ", ".join(f"${number}" for number in range(1, len(values) + 1))
        await connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", *values)


def test_stored_documents_take_the_words_of_the_glossary(database: str) -> None:
    asyncio.run(_with(database, _store))
    command.upgrade(_alembic(database), "head")

    def stored(column: str, table: str) -> Any:
        text = asyncio.run(_with(database, lambda connection: connection.fetchval(f"SELECT {column} FROM {table}")))
        return json.loads(text)

    definition = validate(stored("definition", "experiment_version"))
    assert definition.problems == []
    assert definition.definition is not None
    [level] = definition.definition.factors[0].levels
    assert level.variables == {"check": "1", "pool": '{{ servers("app") }}'}  # an author's own names stay
    assert definition.definition.slots == ["target", "generator", "upstream"]
    spec = TrialSpec.model_validate(stored("spec", "trial_host"))
    assert spec.nginx is not None
    assert spec.nginx.config == "server_name backend.example; upstream app { @@upstream.app@@ }"
    assert spec.nginx.upstream_servers == ["upstream.app"]
    assert isinstance(spec.perturbations[0].action, HttpCall)
    assert spec.perturbations[0].action.endpoint == "upstream.app"
    assert stored("endpoints", "trial_host")[0]["name"] == "upstream.app"
    assert [(one["name"], one["labels"]) for one in stored("series", "layout")] == [
        ("upstream_connections_active", {"upstream": "app"}),
        ("ngxlab_process_run_seconds_total", {"role": "upstream"}),
    ]
    assert stored("event", "trial_event")["role"] == "upstream"
    for table in ("host", "run_host"):
        assert stored("inventory", table) == _INVENTORY | {"caps": {"roles": ["target", "upstream"]}}
    assert stored("to_json(protocol)", "host") == "1.0"
    assert stored("to_json(agent_version)", "host") == "0.0.7"
    command.check(_alembic(database))


async def _store_people(connection: asyncpg.Connection) -> None:
    for role in ("viewer", "experimenter", "administrator"):
        account = await connection.fetchval(
            "INSERT INTO account (id, email, role, password_hash) VALUES ($1, $2, $2, 'x') RETURNING id", uuid4(), role
        )
        for days in (None, 7, 3_650):
            await connection.execute(
                "INSERT INTO api_token (id, account_id, name, token_hash, expires_at) "
                "VALUES ($1, $2, $3, $4, now() + make_interval(days => $5))",
                *(uuid4(), account, f"{days}", f"{role} {days}", days),
            )
        await connection.execute(
            "INSERT INTO login_session (id, account_id, token_hash, csrf_token, created_at, expires_at) "
            "VALUES ($1, $2, $3, 'x', '2026-01-02', now())",
            *(uuid4(), account, role),
        )


def test_stored_tokens_keep_their_rights_and_get_an_end(database: str) -> None:
    asyncio.run(_with(database, _store_people))
    command.upgrade(_alembic(database), "head")

    async def read(connection: asyncpg.Connection) -> tuple[set[Any], set[Any], bool]:
        tokens = await connection.fetch(
            "SELECT role, scope, api_token.name, ceil(extract(epoch FROM expires_at - now()) / 86400)::int AS days "
            "FROM api_token JOIN account ON account.id = account_id"
        )
        same = await connection.fetchval("SELECT bool_and(last_used_at = created_at) FROM login_session")
        scopes = {(row["role"], row["scope"]) for row in tokens}
        return scopes, {(row["name"], row["days"]) for row in tokens}, same

    scopes, ends, same = asyncio.run(_with(database, read))
    assert scopes == {("viewer", "read"), ("experimenter", "operate"), ("administrator", "administer")}
    assert ends == {("None", 365), ("7", 7), ("3650", 365)}
    assert same


async def _store_share(connection: asyncpg.Connection) -> None:
    await connection.execute("SET session_replication_role = replica")  # without all that they refer to
    one = uuid4()
    await connection.execute(
        "INSERT INTO run (id, experiment_id, experiment_version_id, number, state, seed, created_by, live_seq, "
        "blocks) VALUES ($1, $1, $1, 1, 'completed', 1, $1, 0, 1)", one
    )  # fmt: skip
    await connection.execute(
        "INSERT INTO share (id, run_id, token, created_by) VALUES ($1, $1, 'a-link_that-people-have', $1)", one
    )


def test_links_that_people_have_keep_working(database: str) -> None:
    asyncio.run(_with(database, _store_share))
    command.upgrade(_alembic(database), "head")

    async def links(connection: asyncpg.Connection) -> list[dict[str, Any]]:
        query = "SELECT * FROM share JOIN shared_run ON shared_run.share_id = share.id"
        return [dict(row) for row in await connection.fetch(query)]

    [stored] = asyncio.run(_with(database, links))
    assert (stored["kind"], stored["run_id"]) == ("report", stored["id"])
    assert stored["token_hash"] == token_hash("a-link_that-people-have")
    assert "a-link_that-people-have" not in str(stored)
    command.check(_alembic(database))


async def _store_finished_run(connection: asyncpg.Connection) -> None:
    await connection.execute("SET session_replication_role = replica")  # a run without all that it refers to
    await connection.execute(
        "INSERT INTO run (id, experiment_id, experiment_version_id, number, state, seed, created_by, finished_at, "
        "live_seq, blocks, note, analysis) VALUES ($1, $1, $1, 1, 'completed', 1, $1, now(), 0, 1, 'At night', $2)",
        *(UUID(int=9), json.dumps({"headline": "Better: p99", "verdict": "decided"})),
    )
    for position, version in enumerate(["nginx/1.22.1", "nginx/1.22.1", "Tengine/3.1.0", None]):
        summary = json.dumps({"nginx_build": {"version": version} if version else None})
        await connection.execute(
            "INSERT INTO trial (id, run_id, position, block, arm, attempt, state, summary) "
            "VALUES ($1, $2, $3, 1, 'a', 1, 'completed', $4)",
            *(uuid4(), UUID(int=9), position, summary),
        )


def test_earlier_runs_are_found_by_words_verdict_and_nginx(database: str) -> None:
    command.upgrade(_alembic(database), "0014")
    asyncio.run(_with(database, _store_finished_run))
    command.upgrade(_alembic(database), "head")

    async def read(connection: asyncpg.Connection) -> dict[str, Any]:
        night = "words @@ to_tsquery('simple', 'night') AND words @@ to_tsquery('simple', 'bett:*') AS is_found"
        return dict(await connection.fetchrow(f"SELECT verdict, nginx_versions, {night} FROM run"))

    found = asyncio.run(_with(database, read))
    assert (found["verdict"], found["is_found"]) == ("decided", True)
    assert set(json.loads(found["nginx_versions"])) == {"Tengine/3.1.0", "nginx/1.22.1"}
    command.check(_alembic(database))


_CALIBRATED = """
    SET session_replication_role = replica;  -- without all that they refer to
    INSERT INTO experiment (id, name, created_by) VALUES (ONE, 'A/A: Sharding', ONE);
    INSERT INTO run (id, experiment_id, experiment_version_id, number, state, seed, created_by, live_seq, blocks)
    VALUES (ONE, ONE, ONE, 1, 'completed', 1, ONE, 0, 1);
    INSERT INTO host (id, name, credential_hash, inventory, agent_version, protocol, sightings, draining)
    VALUES (ONE, 'alpha', 'x', '{}', '', '1.1', '[]', false);
    INSERT INTO run_host (run_id, slot, host_id, address, inventory) VALUES (ONE, 'target', ONE, '', '{}');
    INSERT INTO calibration (id, run_id, load_key, measure_s, hosts, fingerprint, noise, taken_at)
    VALUES (ONE, ONE, 'a', 1, '{}', '{}', '[]', now());
""".replace("ONE", f"'{UUID(int=21)}'")


def test_a_calibration_outlives_its_run(database: str) -> None:
    command.upgrade(_alembic(database), "0019")
    asyncio.run(_with(database, lambda connection: connection.execute(_CALIBRATED)))
    command.upgrade(_alembic(database), "head")

    async def delete_and_read(connection: asyncpg.Connection) -> dict[str, Any]:
        await connection.execute("DELETE FROM run")
        return dict(await connection.fetchrow("SELECT * FROM calibration"))

    left = asyncio.run(_with(database, delete_and_read))
    assert (left["run_id"], left["experiment_id"]) == (None, UUID(int=21))
    assert json.loads(left["host_names"]) == {"target": "alpha"}
    command.check(_alembic(database))
