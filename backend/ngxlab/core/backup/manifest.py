"""What a backup says of itself, so that a restore can refuse it before it touches anything."""

from datetime import datetime
from importlib.metadata import version
from typing import Annotated, Literal

from alembic.script import ScriptDirectory
from pydantic import BaseModel, Field

from ngxlab.core.migrate import alembic_config

FORMAT = 1
DUMP = "database.dump"
MANIFEST = "manifest.json"


class BackupError(Exception):
    """A backup cannot be made or restored. The message says what to do."""


class Manifest(BaseModel):
    """``rows``: of every table, in the snapshot that was dumped. ``sha256``: of ``database.dump``."""

    product: Literal["ngxlab"] = "ngxlab"
    format: int = FORMAT
    made_at: datetime
    ngxlab: Annotated[str, Field(description="version of the server")] = Field(
        default_factory=lambda: version("ngxlab")
    )
    schema_revision: str
    postgresql: str
    rows: dict[Annotated[str, Field(pattern=r"^[a-z_]+$")], int]
    sha256: str

    def require_readable(self) -> None:
        """Raises :class:`BackupError` for a backup of a newer version."""
        if self.format > FORMAT:
            raise BackupError(f"the backup has format {self.format}, this version reads up to {FORMAT}: {_NEWER}")
        known = {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}
        if self.schema_revision not in known:
            schema = f"schema {self.schema_revision} (of ngxlab {self.ngxlab})"
            raise BackupError(f"the backup has {schema}, unknown to this version: {_NEWER}")


_NEWER = "restore it with the version that made it, or a newer one"
