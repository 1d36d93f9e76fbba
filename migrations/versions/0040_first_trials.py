"""A run asks whether to go on after a first trial that had errors only."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("asks", sa.String()))
    op.add_column("run", sa.Column("asks_until", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("run", "asks_until")
    op.drop_column("run", "asks")
