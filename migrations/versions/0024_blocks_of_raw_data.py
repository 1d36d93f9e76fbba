"""Raw data of ended runs in compressed blocks, which the backend makes after the migration; charts derived once"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_UNPACKED = "finished_at IS NOT NULL AND packed_at IS NULL AND raw_removed_at IS NULL"


def upgrade() -> None:
    op.create_table(
        "frame_block",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("layout", sa.SmallInteger(), nullable=False),
        sa.Column("first_us", sa.BigInteger(), nullable=False),
        sa.Column("last_us", sa.BigInteger(), nullable=False),
        sa.Column("readings", sa.Integer(), nullable=False),
        sa.Column("last_live_seq", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_frame_block"),
    )
    of_layout = ["trial_id", "host_id", "layout", "first_us"]
    op.create_index("ix_frame_block_trial_id_host_id_layout_first_us", "frame_block", of_layout)
    op.create_table(
        "interval_block",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("first_us", sa.BigInteger(), nullable=False),
        sa.Column("last_us", sa.BigInteger(), nullable=False),
        sa.Column("intervals", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_interval_block"),
    )
    op.create_index("ix_interval_block_trial_id_host_id_first_us", "interval_block", ["trial_id", "host_id", "first_us"])
    op.create_table(
        "derived_series",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("derived_by", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("trial_id", "host_id", "key", name="pk_derived_series"),
    )
    whole = sa.text("key = ''")
    op.create_index("ix_derived_series_derived_by", "derived_series", ["derived_by"], postgresql_where=whole)
    for table in ("frame_block", "interval_block", "derived_series"):
        op.execute(f"ALTER TABLE {table} ALTER COLUMN content SET STORAGE EXTERNAL")  # compressed already
    # These lose what is packed: room is used again before more is taken.
    for table in ("frame", "latency_interval"):
        op.execute(f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02)")
    op.add_column("run", sa.Column("packed_at", sa.TIMESTAMP(timezone=True)))
    op.create_index("ix_run_unpacked", "run", ["finished_at"], postgresql_where=sa.text(_UNPACKED))


def downgrade() -> None:
    if op.get_bind().scalar(sa.text("SELECT EXISTS (SELECT FROM frame_block) OR EXISTS (SELECT FROM interval_block)")):
        raise NotImplementedError("Earlier versions cannot read what is in blocks. Restore the backup of before.")
    op.drop_index("ix_run_unpacked", "run")
    op.drop_column("run", "packed_at")
    for table in ("frame", "latency_interval"):
        op.execute(f"ALTER TABLE {table} RESET (autovacuum_vacuum_scale_factor)")
    for table in ("derived_series", "interval_block", "frame_block"):
        op.drop_table(table)
