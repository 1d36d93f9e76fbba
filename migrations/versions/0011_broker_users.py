"""Each host's own user of Redis, and when coordinators last called"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Empty until the host's agent calls: only it knows the credential from which the password follows.
    op.add_column("host", sa.Column("broker_password_hash", sa.String(), nullable=True))
    op.create_table(
        "coordinator",
        sa.Column("instance", sa.Uuid(), primary_key=True),
        sa.Column("pulse_at", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.Column("broker_age_s", sa.Float(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("coordinator")
    op.drop_column("host", "broker_password_hash")
