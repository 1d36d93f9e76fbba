"""Which agent speaks for a host, and which version of the messages; indexes for what is looked at every second"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("host", sa.Column("agent_version", sa.String()))
    op.execute("UPDATE host SET agent_version = coalesce(inventory->>'agent_version', '')")
    op.alter_column("host", "agent_version", nullable=False)
    op.add_column("host", sa.Column("protocol", sa.String(), server_default="1.0", nullable=False))
    op.alter_column("host", "protocol", server_default=None)
    op.add_column("host", sa.Column("sightings", JSONB(), server_default="[]", nullable=False))
    op.alter_column("host", "sightings", server_default=None)
    op.add_column("host", sa.Column("conflict", sa.String()))
    op.create_index("ix_run_state", "run", ["state"])
    op.create_index("ix_trial_state", "trial", ["state"])
    op.create_index("ix_trial_host_host_id", "trial_host", ["host_id"])


def downgrade() -> None:
    op.drop_index("ix_trial_host_host_id", "trial_host")
    op.drop_index("ix_trial_state", "trial")
    op.drop_index("ix_run_state", "run")
    for column in ("conflict", "sightings", "protocol", "agent_version"):
        op.drop_column("host", column)
