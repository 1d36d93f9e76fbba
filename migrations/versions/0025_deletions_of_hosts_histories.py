"""Deletions of hosts' histories, which go on in the background"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host_history_deletion",
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("asked_at", sa.TIMESTAMP(timezone=True), nullable=False),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("verdicts", "starred", "shared", "others")),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_host_history_deletion_host_id_host"),
        sa.PrimaryKeyConstraint("host_id", name="pk_host_history_deletion"),
    )


def downgrade() -> None:
    op.drop_table("host_history_deletion")
