"""What benchmarks do with the stack: experiments with one arm, runs, artefacts of trials, queries of the database."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx2
from ngxlab_contracts.trials import TrialSpec

from scripts.console import Failure
from scripts.stack.settings import Settings

ARM = "reuseport"
"""The level, and so the arm, that benchmarks run."""

ANSWER_TIMEOUT_S = 20

Connection = Any
"""asyncpg's connection; the library has no types."""


@dataclass(frozen=True)
class Lab:
    """A running private stack. ``token`` is a personal API token, ``host_id`` this machine."""

    settings: Settings
    environment: Mapping[str, str]
    token: str
    host_id: str

    @property
    def api_url(self) -> str:
        return f"{self.settings.url}/api/v1"

    async def get(self, path: str) -> Any:
        return await self._ask("GET", path, None)

    async def post(self, path: str, body: object) -> Any:
        return await self._ask("POST", path, body)

    async def _ask(self, method: str, path: str, body: object) -> Any:
        """The JSON answer. Raises :class:`Failure` with the problem document."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=ANSWER_TIMEOUT_S) as client:
            response = await client.request(method, self.api_url + path, json=body)
        if not response.is_success:
            raise Failure(f"{method} {path}: {response.status_code} {response.text[:500]}")
        return response.json()

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Connection]:
        """A connection of its own as the database's owner, with JSONB as Python values."""
        connection = await asyncpg.connect(self.environment["NGXLAB_MIGRATION_DATABASE_URL"])
        try:
            await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
            yield connection
        finally:
            await connection.close()

    async def one_arm_experiment(
        self,
        *,
        blocks: int = 1,
        warmup_s: float,
        measure_s: float,
        interval_ms: int = 1000,
        change: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """An experiment whose run is ``blocks`` trials of :data:`ARM`, without cool-down; as the API shows it.

        Templates always compare arms. The stored definition is reduced to one arm, so that a benchmark can do
        something else between two trials; and to one nginx worker, which together with wrk's one thread uses two
        cores fully without competing for them, so that the cost of anything else shows above the noise. ``change`` is
        made to the definition besides.
        """
        parameters = {"blocks": blocks, "warmup_s": warmup_s, "measure_s": measure_s, "cooldown_s": 0,
                      "interval_ms": interval_ms}  # fmt: skip
        made = await self.post(
            "/experiments", {"name": "Benchmark", "template_key": "reuseport", "parameters": parameters}
        )
        definition = made["definition"]
        for factor in definition["factors"]:
            factor["levels"] = [level for level in factor["levels"] if level["key"] == ARM]
        definition["baseline"] = ARM
        definition["nginx"]["workers"] = 1
        if change is not None:
            change(definition)
        async with self.database() as connection:
            await connection.execute(
                "UPDATE experiment_version SET definition = $2 WHERE id = $1", made["version_id"], definition
            )
        found: dict[str, Any] = await self.get(f"/experiments/{made['id']}")
        return found

    async def start_run(self, experiment: dict[str, Any], host_id: str | None = None) -> str:
        """Queue a run on this machine or on ``host_id``, and return its id."""
        run = await self.post(f"/experiments/{experiment['id']}/runs", {"host_id": host_id or self.host_id})
        return str(run["id"])

    async def spec(self, trial_id: str) -> TrialSpec:
        """This machine's specification of a trial."""
        async with self.database() as connection:
            found = await connection.fetchval("SELECT spec FROM trial_host WHERE trial_id = $1", trial_id)
        return TrialSpec.model_validate(found)

    async def artefacts(self, trial_id: str) -> dict[str, str]:
        """A trial's artefacts by name."""
        found = await self.get(f"/trials/{trial_id}/artefacts")
        return {artefact["name"]: artefact["text"] for artefact in found["items"]}
