"""What the disk of a host lacks for a trial."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = depends_on = None


def upgrade() -> None:
    op.add_column("host", sa.Column("disk_trouble", sa.String()))


def downgrade() -> None:
    op.drop_column("host", "disk_trouble")
