"""What lists of runs are searched and filtered by"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_WORDS = "to_tsvector('simple', coalesce(note, '') || ' ' || coalesce(analysis ->> 'headline', ''))"
_NGINX = "CASE WHEN jsonb_typeof(analysis -> 'nginx') = 'array' THEN analysis -> 'nginx' ELSE '[]' END"
_RAN = """
    UPDATE run SET analysis = analysis || jsonb_build_object('nginx', ran.versions)
    FROM (
        SELECT run_id, jsonb_agg(DISTINCT summary -> 'nginx_build' -> 'version') AS versions
        FROM trial WHERE summary -> 'nginx_build' ->> 'version' IS NOT NULL GROUP BY run_id
    ) AS ran
    WHERE run.id = ran.run_id AND run.finished_at IS NOT NULL AND jsonb_typeof(analysis) = 'object'
"""


def upgrade() -> None:
    op.execute(_RAN)
    op.add_column("run", sa.Column("words", postgresql.TSVECTOR(), sa.Computed(_WORDS, persisted=True)))
    op.add_column("run", sa.Column("verdict", sa.String(), sa.Computed("analysis ->> 'verdict'", persisted=True)))
    op.add_column("run", sa.Column("nginx_versions", postgresql.JSONB(), sa.Computed(_NGINX, persisted=True)))
    op.create_index("ix_run_words", "run", ["words"], postgresql_using="gin")


def downgrade() -> None:
    op.drop_index("ix_run_words", "run")
    for column in ("nginx_versions", "verdict", "words"):
        op.drop_column("run", column)
