"""Stars, sizes and removed raw data of runs; runs that can be deleted, and calibrations that outlive them"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_OF_ITS_OWN = """
    UPDATE calibration SET experiment_id = run.experiment_id, host_names = played.names
    FROM run, (
        SELECT run_host.run_id, jsonb_object_agg(run_host.slot, host.name) AS names
        FROM run_host JOIN host ON host.id = run_host.host_id GROUP BY run_host.run_id
    ) AS played
    WHERE run.id = calibration.run_id AND played.run_id = run.id
"""


def upgrade() -> None:
    op.add_column("run", sa.Column("starred", sa.Boolean(), server_default="false", nullable=False))
    op.add_column("run", sa.Column("raw_bytes", sa.BigInteger(), nullable=True))
    op.add_column("run", sa.Column("raw_removed_at", sa.TIMESTAMP(timezone=True), nullable=True))
    op.add_column("run", sa.Column("raw_removed_days", sa.Integer(), nullable=True))
    op.create_index("ix_run_starred", "run", ["created_at"], postgresql_where=sa.text("starred"))
    unmeasured = sa.text("finished_at IS NOT NULL AND raw_bytes IS NULL")
    op.create_index("ix_run_unmeasured", "run", ["finished_at"], postgresql_where=unmeasured)
    op.add_column("experiment", sa.Column("deleted_number", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "discarded_trial",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("discarded_at", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("trial_id", name="pk_discarded_trial"),
    )
    op.create_index("ix_discarded_trial_discarded_at", "discarded_trial", ["discarded_at"])
    op.add_column("calibration", sa.Column("experiment_id", sa.Uuid(), nullable=True))
    op.add_column("calibration", sa.Column("host_names", JSONB(), nullable=True))
    op.execute(_OF_ITS_OWN)
    for column in ("experiment_id", "host_names"):
        op.alter_column("calibration", column, nullable=False)
    name = "fk_calibration_experiment_id_experiment"
    op.create_foreign_key(name, "calibration", "experiment", ["experiment_id"], ["id"])
    op.alter_column("calibration", "run_id", nullable=True)
    _refer_to_the_run("SET NULL")


def downgrade() -> None:
    op.execute("DELETE FROM calibration WHERE run_id IS NULL")
    _refer_to_the_run("CASCADE")
    op.alter_column("calibration", "run_id", nullable=False)
    for column in ("host_names", "experiment_id"):
        op.drop_column("calibration", column)
    op.drop_table("discarded_trial")
    op.drop_column("experiment", "deleted_number")
    op.drop_index("ix_run_unmeasured", "run")
    op.drop_index("ix_run_starred", "run")
    for column in ("raw_removed_days", "raw_removed_at", "raw_bytes", "starred"):
        op.drop_column("run", column)


def _refer_to_the_run(when_deleted: str) -> None:
    name = "fk_calibration_run_id_run"
    op.drop_constraint(name, "calibration", type_="foreignkey")
    op.create_foreign_key(name, "calibration", "run", ["run_id"], ["id"], ondelete=when_deleted)
