"""Tags of runs"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("tags", postgresql.ARRAY(sa.String()), server_default="{}", nullable=False))
    op.create_index("ix_run_tags", "run", ["tags"], postgresql_using="gin")


def downgrade() -> None:
    op.drop_index("ix_run_tags", "run")
    op.drop_column("run", "tags")
