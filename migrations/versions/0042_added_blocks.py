"""Blocks that were added to runs after their end."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0042"
down_revision = "0041"
branch_labels = depends_on = None


def upgrade() -> None:
    column = sa.Column("added_to", postgresql.ARRAY(sa.Integer()), server_default="{}", nullable=False)
    op.add_column("run", column)


def downgrade() -> None:
    op.drop_column("run", "added_to")
