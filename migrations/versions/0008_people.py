"""Sessions say where they are, tokens have a scope and an end, one-time passwords and known devices are kept"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("account", sa.Column("one_time_password_until", sa.TIMESTAMP(timezone=True), nullable=True))
    now = sa.text("now()")
    op.add_column(
        "login_session", sa.Column("last_used_at", sa.TIMESTAMP(timezone=True), server_default=now, nullable=False)
    )
    op.add_column("login_session", sa.Column("address", sa.String(), nullable=True))
    op.add_column("login_session", sa.Column("user_agent", sa.String(), nullable=True))
    op.execute("UPDATE login_session SET last_used_at = created_at")
    op.create_table(
        "known_device",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("last_used_at", sa.TIMESTAMP(timezone=True), server_default=now, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name="fk_known_device_account_id_account", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "token_hash", name="pk_known_device"),
    )
    _give_tokens_a_scope_and_an_end()


def _give_tokens_a_scope_and_an_end() -> None:
    """What existing tokens could do stays possible: all that their owner may, for a year from now at most."""
    op.add_column("api_token", sa.Column("scope", sa.String(), nullable=True))
    op.execute(
        "UPDATE api_token SET scope = CASE account.role WHEN 'administrator' THEN 'administer' "
        "WHEN 'experimenter' THEN 'operate' ELSE 'read' END FROM account WHERE account.id = api_token.account_id"
    )
    op.execute("UPDATE api_token SET expires_at = least(expires_at, now() + interval '365 days')")
    op.alter_column("api_token", "scope", nullable=False)
    op.alter_column("api_token", "expires_at", nullable=False)
    op.create_check_constraint(
        op.f("ck_api_token_scope"), "api_token", "scope IN ('read', 'operate', 'administer')"
    )


def downgrade() -> None:
    raise NotImplementedError("which tokens had no end is forgotten")
