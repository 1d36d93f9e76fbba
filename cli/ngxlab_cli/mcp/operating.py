"""Tools that start and end runs, for a token of the scope operate. Their docstrings are what a model is told."""

from typing import Annotated

from pydantic import Field

from ngxlab_cli.client import LabClient
from ngxlab_cli.mcp.reading import Hosts, Recipe, RunName, Saved, Yaml
from ngxlab_cli.run_names import run_id, run_of
from ngxlab_cli.start import document_order, prepare, start


class Operating:
    """Each tool raises ``ClientError``."""

    def __init__(self, client: LabClient) -> None:
        self._client = client

    def start_run(
        self,
        *,
        yaml: Yaml = None,
        recipe: Recipe = None,
        experiment: Saved = None,
        hosts: Hosts = [],  # noqa: B006
        name: Annotated[str | None, Field(description="of the experiment that is saved")] = None,
        note: Annotated[str | None, Field(description="why it is run; stored with the run")] = None,
        tags: list[str] = [],  # noqa: B006
    ) -> str:
        """Start a run: it puts load on the hosts for as long as plan_run says. YAML and recipes are saved as a new
        experiment."""
        order = document_order(yaml, recipe, experiment, hosts, name=name, note=note, tags=tags)
        run = start(self._client, prepare(self._client, order), order)
        return f"run {run.number} is {run.state}, its id is {run.id}: {self._client.run_page(run.id)}"

    def cancel_run(self, run: RunName) -> str:
        """End a run; what was measured is kept."""
        detail = self._client.steer(run_id(self._client, run_of(run)), "cancel")
        return f"run {detail.number}: cancel requested, the run is {detail.state}"
