"""Teams: who may read which experiments, and run on which hosts."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = depends_on = None


def upgrade() -> None:
    op.create_table(
        "team",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False, unique=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
    )
    op.create_table(
        "team_member",
        sa.Column("team_id", sa.Uuid(), sa.ForeignKey("team.id", ondelete="CASCADE"), primary_key=True),
        sa.Column(
            "account_id", sa.Uuid(), sa.ForeignKey("account.id", ondelete="CASCADE"), primary_key=True, index=True
        ),
    )
    for table in ("experiment", "host"):
        op.add_column(table, sa.Column("team_id", sa.Uuid(), sa.ForeignKey("team.id"), index=True))


def downgrade() -> None:
    for table in ("experiment", "host"):
        op.drop_column(table, "team_id")
    op.drop_table("team_member")
    op.drop_table("team")
