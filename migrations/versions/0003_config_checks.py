"""Checks of configurations on a host"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "config_check",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("definition", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("request", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("result", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.CheckConstraint("state IN ('pending', 'done', 'failed')", name=op.f("ck_config_check_state")),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name=op.f("fk_config_check_created_by_account")),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_config_check_host_id_host")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_config_check")),
    )


def downgrade() -> None:
    op.drop_table("config_check")
