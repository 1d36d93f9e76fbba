"""Frames compressed with lz4 where the server has it: storing one takes a third of the server's CPU time"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        DO $$ BEGIN
            IF (SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression') THEN
                ALTER TABLE frame ALTER COLUMN values SET COMPRESSION lz4;
            END IF;
        END $$
        """
    )


def downgrade() -> None:
    op.execute("ALTER TABLE frame ALTER COLUMN values SET COMPRESSION default")
