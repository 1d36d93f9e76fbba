"""What earlier runs had shown of the scatter when a run was created."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0041"
down_revision = "0040"
branch_labels = depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("learned", JSONB(), server_default="[]", nullable=False))


def downgrade() -> None:
    op.drop_column("run", "learned")
