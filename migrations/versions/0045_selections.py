"""Heats that choose which arms of many are measured to the end."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0045"
down_revision = "0044"
branch_labels = depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("selection", postgresql.JSONB(), server_default="[]", nullable=False))
    op.add_column("trial", sa.Column("heat", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("trial", "heat")
    op.drop_column("run", "selection")
