"""Runs that came from another installation; labels and counts of share links"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run_import",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("calibration", postgresql.JSONB(), nullable=True),
        sa.Column("calibration_stale", sa.String(), nullable=True),
        sa.Column("imported_by", sa.Uuid(), nullable=False),
        sa.Column("imported_at", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["imported_by"], ["account.id"], name="fk_run_import_imported_by_account"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_import_run_id_run", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name="pk_run_import"),
    )
    op.add_column("window_change", sa.Column("changed_by_name", sa.String(), nullable=True))
    op.add_column("share", sa.Column("label", sa.String(), nullable=True))
    op.add_column("share", sa.Column("opened", sa.Integer(), server_default="0", nullable=False))
    op.add_column("share", sa.Column("last_opened_at", sa.TIMESTAMP(timezone=True), nullable=True))


def downgrade() -> None:
    for column in ("last_opened_at", "opened", "label"):
        op.drop_column("share", column)
    op.drop_column("window_change", "changed_by_name")
    op.drop_table("run_import")
