"""Until when a notification waits, by the uptime of the machine that tried it."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = depends_on = None


def upgrade() -> None:
    op.add_column("notification", sa.Column("due_boot", sa.String(), nullable=True))
    op.add_column("notification", sa.Column("due_uptime_s", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("notification", "due_uptime_s")
    op.drop_column("notification", "due_boot")
