"""Bring a database to the current schema."""

from pathlib import Path

from alembic import command
from alembic.config import Config

MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"
"""At the top of the repository; the container image keeps the same layout."""


def alembic_config(url: str | None = None) -> Config:
    """``url`` is needed only to run migrations; it never comes from a file."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    if url is not None:
        config.attributes["url"] = url
    return config


def upgrade(url: str) -> None:
    """Run all missing migrations. Concurrent calls wait for each other."""
    command.upgrade(alembic_config(url), "head")
