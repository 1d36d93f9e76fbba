"""Why a host's agent cannot reach Redis, and since when"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("host", sa.Column("broker_trouble", sa.String()))
    op.add_column("host", sa.Column("broker_trouble_since", sa.TIMESTAMP(timezone=True)))


def downgrade() -> None:
    op.drop_column("host", "broker_trouble_since")
    op.drop_column("host", "broker_trouble")
