"""What hatchling adds to the backend's distributions: the migrations and the frontend's build."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BackendHook(BuildHookInterface):  # type: ignore[type-arg]
    """Both lie outside of this folder in the repository, and inside it in a source distribution.

    An editable install leaves the migrations where they are, and finds them there (``ngxlab/core/migrate.py``). Without
    a build of the frontend, as in a fresh checkout, a wheel has none: then the server shows no pages.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        own = Path(self.root)
        target = "" if self.target_name == "sdist" else "ngxlab/"
        for name, repository in (("migrations", "migrations"), ("frontend", "frontend/dist")):
            found = [path for path in (own / name, own.parent / repository) if path.is_dir()]
            if found:
                build_data["force_include"][str(found[0])] = f"{target}{name}"
