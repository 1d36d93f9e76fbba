"""Passkeys: people's second factor, what their devices are asked to sign, and when a session was confirmed by one."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = depends_on = None


def upgrade() -> None:
    op.create_table(
        "passkey",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("account_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(), unique=True, nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_passkey_account_id", "passkey", ["account_id"])
    op.create_table(
        "passkey_challenge",
        sa.Column("challenge", sa.String(), primary_key=True),
        sa.Column("account_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_passkey_challenge_account_id", "passkey_challenge", ["account_id"])
    op.add_column("login_session", sa.Column("confirmed_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("login_session", "confirmed_at")
    op.drop_table("passkey_challenge")
    op.drop_table("passkey")
