"""The order of runs is one even among those of the same instant: pages of the list follow each other"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_run_created_at", "run")
    op.create_index("ix_run_created_at", "run", ["created_at", "id"])


def downgrade() -> None:
    op.drop_index("ix_run_created_at", "run")
    op.create_index("ix_run_created_at", "run", ["created_at"])
