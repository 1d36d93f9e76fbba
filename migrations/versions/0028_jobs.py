"""Jobs: work outside of requests"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    time = sa.TIMESTAMP(timezone=True)
    op.create_table(
        "job",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("queue", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("arguments", postgresql.JSONB(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String()),
        sa.Column("lease_until", time),
        sa.Column("created_at", time, server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", time),
        sa.Column("ended_at", time),
        sa.Column("error", sa.Text()),
        sa.Column("result", postgresql.JSONB()),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name=op.f("ck_job_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    is_open = sa.text("state IN ('queued', 'running')")
    op.create_index("uq_job_open", "job", ["kind", "key", "state"], unique=True, postgresql_where=is_open)
    op.create_index("ix_job_kind_key", "job", ["kind", "key"])
    op.create_index("ix_job_ended_at", "job", ["ended_at"])


def downgrade() -> None:
    op.drop_table("job")
