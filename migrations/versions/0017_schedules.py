"""Runs that start by themselves, and what became of each of their times"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_TIME = sa.TIMESTAMP(timezone=True)


def upgrade() -> None:
    op.create_table(
        "schedule",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("experiment_id", sa.Uuid(), sa.ForeignKey("experiment.id"), nullable=False, index=True),
        sa.Column("created_by", sa.Uuid(), sa.ForeignKey("account.id"), nullable=False, index=True),
        sa.Column("created_at", _TIME, server_default=sa.func.now(), nullable=False),
        sa.Column("timing", postgresql.JSONB(), nullable=False),
        sa.Column("request", postgresql.JSONB(), nullable=False),
        sa.Column("last_day", sa.Date()),
        sa.Column("most_runs", sa.Integer()),
        sa.Column("started", sa.Integer(), nullable=False),
        sa.Column("next_at", _TIME),
        sa.Column("paused_at", _TIME),
        sa.Column("pause_reason", sa.String()),
    )
    is_due = sa.text("next_at IS NOT NULL")
    op.create_index("ix_schedule_next_at", "schedule", ["next_at"], postgresql_where=is_due)
    op.create_table(
        "schedule_occurrence",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("schedule_id", sa.Uuid(), sa.ForeignKey("schedule.id", ondelete="CASCADE"), nullable=False),
        sa.Column("due_at", _TIME, nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("reason", sa.String()),
        sa.Column("run_id", sa.Uuid(), sa.ForeignKey("run.id", ondelete="SET NULL"), index=True),
        sa.UniqueConstraint("schedule_id", "due_at"),
        sa.CheckConstraint("outcome IN ('started', 'skipped', 'missed', 'refused')", name="outcome"),
    )


def downgrade() -> None:
    op.drop_table("schedule_occurrence")
    op.drop_table("schedule")
