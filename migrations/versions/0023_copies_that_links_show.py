"""What a link shows is kept as it was when its owner made or refreshed it; links to comparisons and trends"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "share_copy",
        sa.Column("share_id", sa.Uuid(), nullable=False),
        sa.Column("taken_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("headline", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("picture", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["share_id"], ["share.id"], name="fk_share_copy_share_id_share", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("share_id", name="pk_share_copy"),
    )
    op.add_column("share", sa.Column("kind", sa.String(), server_default="report", nullable=False))
    op.add_column("share", sa.Column("experiment_id", sa.Uuid(), nullable=True))
    op.add_column("share", sa.Column("asked", JSONB(), nullable=True))
    op.create_index("ix_share_experiment_id", "share", ["experiment_id"])
    name = "fk_share_experiment_id_experiment"
    op.create_foreign_key(name, "share", "experiment", ["experiment_id"], ["id"], ondelete="CASCADE")
    op.create_table(
        "shared_run",
        sa.Column("share_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_shared_run_run_id_run", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["share_id"], ["share.id"], name="fk_shared_run_share_id_share", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("share_id", "run_id", name="pk_shared_run"),
    )
    op.create_index("ix_shared_run_run_id", "shared_run", ["run_id"])
    op.execute("INSERT INTO shared_run (share_id, run_id) SELECT id, run_id FROM share")
    op.drop_column("share", "run_id")


def downgrade() -> None:
    op.execute("DELETE FROM share WHERE kind <> 'report'")
    op.add_column("share", sa.Column("run_id", sa.Uuid(), nullable=True))
    op.execute("UPDATE share SET run_id = shared_run.run_id FROM shared_run WHERE shared_run.share_id = share.id")
    op.execute("DELETE FROM share WHERE run_id IS NULL")
    op.alter_column("share", "run_id", nullable=False)
    op.create_foreign_key("fk_share_run_id_run", "share", "run", ["run_id"], ["id"], ondelete="CASCADE")
    op.create_index("ix_share_run_id", "share", ["run_id"])
    op.drop_table("shared_run")
    for column in ("asked", "experiment_id", "kind"):
        op.drop_column("share", column)
    op.drop_table("share_copy")
