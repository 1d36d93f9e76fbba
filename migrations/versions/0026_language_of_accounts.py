"""The language of the pages that a person has chosen"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("account", sa.Column("language", sa.String(), nullable=True))
    op.create_check_constraint("language", "account", "language IN ('en', 'zh-Hans')")


def downgrade() -> None:
    op.drop_constraint(op.f("ck_account_language"), "account", type_="check")
    op.drop_column("account", "language")
