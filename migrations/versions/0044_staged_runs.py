"""Imports store the raw data of a run before the run itself, and refer to accounts only as they are committed."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0044"
down_revision = "0043"
branch_labels = depends_on = None

_TO_ACCOUNTS = {
    "experiment": "created_by",
    "experiment_version": "created_by",
    "note": "created_by",
    "run": "created_by",
    "run_import": "imported_by",
    "window_change": "changed_by",
}
_OF_TRIALS = {
    "artefact": "DELETE FROM artefact WHERE trial_id NOT IN (SELECT id FROM trial)",
    "layout": "DELETE FROM layout WHERE trial_id NOT IN (SELECT id FROM trial)",
}


def upgrade() -> None:
    op.create_table(
        "staged_run",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("trials", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("hosts", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staged_run")),
    )
    for table in _OF_TRIALS:
        for other in ("trial", "host"):
            op.drop_constraint(f"fk_{table}_{other}_id_{other}", table, type_="foreignkey")
    _alter_keys("DEFERRABLE")


def downgrade() -> None:
    _alter_keys("NOT DEFERRABLE")
    for table, delete_staged in _OF_TRIALS.items():
        op.execute(delete_staged)
        for other, ondelete in (("trial", "CASCADE"), ("host", None)):
            name, column = op.f(f"fk_{table}_{other}_id_{other}"), f"{other}_id"
            op.create_foreign_key(name, table, other, [column], ["id"], ondelete=ondelete)
    op.drop_table("staged_run")


def _alter_keys(how: str) -> None:
    for table, column in _TO_ACCOUNTS.items():
        op.execute(f"ALTER TABLE {table} ALTER CONSTRAINT fk_{table}_{column}_account {how}")
