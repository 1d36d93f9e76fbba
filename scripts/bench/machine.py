"""Facts about the machine that are needed to interpret measured values."""

import subprocess
from typing import Any

from scripts.bench.lab import Lab
from scripts.paths import ROOT


async def facts(lab: Lab) -> dict[str, Any]:
    """This machine's inventory as the agent reports it, and PostgreSQL's version."""
    host = await lab.get(f"/hosts/{lab.host_id}")
    inventory = host["inventory"]
    async with lab.database() as connection:
        postgres = await connection.fetchval("SHOW server_version")
    return {
        "cpu": inventory["cpu"]["model"],
        "cores": inventory["cpu"]["logical"],
        "memory_gib": round(inventory["memory_bytes"] / 2**30, 1),
        "os": inventory["os"],
        "kernel": inventory["kernel"],
        "python": inventory["python"],
        "nginx": inventory["nginx"][0]["version"],
        "wrk": inventory["wrk"]["version"],
        "postgresql": postgres,
    }


def commit() -> str:
    """The checkout's commit, marked as dirty where files differ from it."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "unknown"
