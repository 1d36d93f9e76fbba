"""By which version of the method a run was judged, and what earlier ones said; a host's clock as its load began."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0037"
down_revision = "0036"
branch_labels = depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("method", sa.Integer(), server_default="0", nullable=False))
    op.add_column("run", sa.Column("judged_at", sa.DateTime(timezone=True)))
    op.add_column("run", sa.Column("judged_before", JSONB(), server_default="[]", nullable=False))
    op.add_column("trial_host", sa.Column("began_offset_us", sa.BigInteger()))
    op.create_index(
        "ix_run_method",
        "run",
        ["method"],
        postgresql_where=sa.text("finished_at IS NOT NULL AND analysis IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_column("trial_host", "began_offset_us")
    op.drop_index("ix_run_method", "run")
    for column in ("judged_before", "judged_at", "method"):
        op.drop_column("run", column)
