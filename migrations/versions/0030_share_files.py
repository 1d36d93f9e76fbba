"""Files of what links show are made once."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = depends_on = None


def upgrade() -> None:
    op.create_table(
        "share_file",
        sa.Column("share_id", sa.Uuid(), sa.ForeignKey("share_copy.share_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("language", sa.String(), primary_key=True),
        sa.Column("content", sa.LargeBinary(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("share_file")
