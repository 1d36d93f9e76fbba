"""Restored backups are rehearsals until somebody says otherwise; backups that were made are known."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = depends_on = None


def upgrade() -> None:
    # A restore of a backup from before makes this one by itself (ngxlab/core/backup.py), before migrations run.
    op.execute(
        "CREATE TABLE IF NOT EXISTS rehearsal ("
        " only_one BOOLEAN DEFAULT true CONSTRAINT pk_rehearsal PRIMARY KEY"
        " CONSTRAINT ck_rehearsal_only_one CHECK (only_one),"
        " backup_of TIMESTAMP WITH TIME ZONE NOT NULL,"
        " since TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL)"
    )
    op.create_table(
        "backup",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("took_s", sa.Float(), nullable=False),
        sa.Column("proven_at", sa.DateTime(timezone=True)),
        sa.Column("trouble", sa.Text()),
    )


def downgrade() -> None:
    op.drop_table("backup")
    op.drop_table("rehearsal")
