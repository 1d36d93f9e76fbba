"""Where people want to be told, what they are to be told, and which hosts are away"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_TIME = sa.TIMESTAMP(timezone=True)


def upgrade() -> None:
    op.add_column("host", sa.Column("away_since", _TIME))
    op.create_table(
        "notification_channel",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("account_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("url", sa.String()),
        sa.Column("secret", sa.String()),
        sa.Column("runs", sa.Boolean(), nullable=False),
        sa.Column("hosts", sa.Boolean(), nullable=False),
        sa.Column("created_at", _TIME, server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint("kind IN ('email', 'webhook')", name="kind"),
        sa.CheckConstraint("(kind = 'webhook') = (url IS NOT NULL AND secret IS NOT NULL)", name="webhook"),
    )
    is_email = sa.text("kind = 'email'")
    op.create_index(
        "uq_notification_channel_email", "notification_channel", ["account_id"], unique=True, postgresql_where=is_email
    )
    op.create_table(
        "notification",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("channel_id", sa.Uuid(), sa.ForeignKey("notification_channel.id", ondelete="CASCADE"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.Uuid()),
        sa.Column("detail", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("body", postgresql.JSONB()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", _TIME),
        sa.Column("last_attempt_at", _TIME),
        sa.Column("delivered_at", _TIME),
        sa.Column("last_error", sa.String()),
    )
    is_due = sa.text("next_attempt_at IS NOT NULL")
    op.create_index("ix_notification_due", "notification", ["next_attempt_at"], postgresql_where=is_due)
    op.create_index("ix_notification_channel_id", "notification", ["channel_id", "created_at"])


def downgrade() -> None:
    op.drop_table("notification")
    op.drop_table("notification_channel")
    op.drop_column("host", "away_since")
