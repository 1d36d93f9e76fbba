"""What an API token made ends with it."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = depends_on = None


def upgrade() -> None:
    for table in ("share", "schedule"):
        op.add_column(table, sa.Column("token_id", sa.Uuid(), sa.ForeignKey("api_token.id")))


def downgrade() -> None:
    for table in ("share", "schedule"):
        op.drop_column(table, "token_id")
