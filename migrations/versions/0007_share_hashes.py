"""Of a share's token only the hash is stored; links that people have keep working"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("share", sa.Column("token_hash", sa.String()))
    op.execute("UPDATE share SET token_hash = encode(sha256(convert_to(token, 'UTF8')), 'hex')")
    op.alter_column("share", "token_hash", nullable=False)
    op.create_unique_constraint("uq_share_token_hash", "share", ["token_hash"])
    op.drop_column("share", "token")


def downgrade() -> None:
    raise NotImplementedError("The tokens are no longer known.")
