"""Measured windows that were chosen after the run, change by change"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "window_change",
        sa.Column("id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("run_id", sa.Uuid(), sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("trial_id", sa.Uuid(), sa.ForeignKey("trial.id", ondelete="CASCADE")),
        sa.Column("start_s", sa.Float()),
        sa.Column("end_s", sa.Float()),
        sa.Column("reason", sa.String()),
        sa.Column("changed_by", sa.Uuid(), sa.ForeignKey("account.id"), nullable=False),
        sa.Column("changed_at", sa.TIMESTAMP(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint("(start_s IS NULL) = (end_s IS NULL) AND start_s < end_s", name="span"),
    )
    op.create_index("ix_window_change_run_id", "window_change", ["run_id"])


def downgrade() -> None:
    op.drop_table("window_change")
