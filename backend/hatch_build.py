"""What hatchling adds to the wheel: the migrations, which lie at the top of the repository."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BackendHook(BuildHookInterface):  # type: ignore[type-arg]
    """An editable install leaves them where they are, and finds them there (``ngxlab/core/migrate.py``)."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            build_data["force_include"][str(Path(self.root).parent / "migrations")] = "ngxlab/migrations"
