"""What a histogram is of: latency, service time, and others"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("latency_interval", sa.Column("measure", sa.String(), server_default="latency", nullable=False))


def downgrade() -> None:
    op.drop_column("latency_interval", "measure")
