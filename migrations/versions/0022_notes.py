"""Notes of people on runs, trials, and moments of trials"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "note",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("trial_id", sa.Uuid(), nullable=True),
        sa.Column("t_s", sa.Float(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        sa.Column("author_name", sa.String(), nullable=True),
        sa.Column("created_at", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("edited_at", sa.TIMESTAMP(timezone=True), nullable=True),
        sa.CheckConstraint("t_s IS NULL OR trial_id IS NOT NULL", name="moment"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_note_run_id_run", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["trial_id"], ["trial.id"], name="fk_note_trial_id_trial", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["created_by"], ["account.id"], name="fk_note_created_by_account"),
        sa.PrimaryKeyConstraint("id", name="pk_note"),
    )
    op.create_index("ix_note_run_id", "note", ["run_id"])
    op.create_index("ix_note_trial_id", "note", ["trial_id"])


def downgrade() -> None:
    op.drop_table("note")
