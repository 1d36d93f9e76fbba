"""Archives of runs are signed by the installation that writes them; imports count towards a quota."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = depends_on = None


def upgrade() -> None:
    op.create_table(
        "signing_key",
        sa.Column("only_one", sa.Boolean(), sa.CheckConstraint("only_one", name="only_one"), primary_key=True),
        sa.Column("private", sa.LargeBinary(), nullable=False),
    )
    op.add_column("run_import", sa.Column("bytes", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("run_import", sa.Column("signed_by", sa.String()))
    op.add_column("run_import", sa.Column("key_changed", sa.Boolean(), server_default="false", nullable=False))


def downgrade() -> None:
    for column in ("key_changed", "signed_by", "bytes"):
        op.drop_column("run_import", column)
    op.drop_table("signing_key")
