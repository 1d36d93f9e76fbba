"""What comparisons of identical arms showed, by host and load"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "calibration",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("run_id", sa.Uuid(), sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False, unique=True),
        sa.Column("template_key", sa.String()),
        sa.Column("load_key", sa.String(), nullable=False),
        sa.Column("measure_s", sa.Float(), nullable=False),
        sa.Column("hosts", JSONB(), nullable=False),
        sa.Column("fingerprint", JSONB(), nullable=False),
        sa.Column("noise", JSONB(), nullable=False),
        sa.Column("taken_at", sa.TIMESTAMP(timezone=True), nullable=False),
    )
    op.create_index("ix_calibration_load_key", "calibration", ["load_key"])


def downgrade() -> None:
    op.drop_table("calibration")
