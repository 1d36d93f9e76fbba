"""Indexes for what every heartbeat, look and list asks of a long history; when a run was asked to end early"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("finish_requested_at", sa.TIMESTAMP(timezone=True)))
    op.create_index("ix_run_created_at", "run", ["created_at"])
    unfinished = sa.text("outcome IS NULL")
    op.create_index("ix_trial_host_unfinished", "trial_host", ["host_id"], postgresql_where=unfinished)
    op.create_index("ix_window_change_trial_id", "window_change", ["trial_id"])


def downgrade() -> None:
    op.drop_index("ix_window_change_trial_id", "window_change")
    op.drop_index("ix_trial_host_unfinished", "trial_host")
    op.drop_index("ix_run_created_at", "run")
    op.drop_column("run", "finish_requested_at")
