"""What of a repository a run measures: commit, branch and pull request."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0046"
down_revision = "0045"
branch_labels = depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("revision", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "revision")
