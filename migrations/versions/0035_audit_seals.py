"""A chain of sums over the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_seal",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), primary_key=True),
        sa.Column("sealed_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("after_id", sa.BigInteger(), nullable=False),
        sa.Column("up_to_id", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("sum", sa.String(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("audit_seal")
