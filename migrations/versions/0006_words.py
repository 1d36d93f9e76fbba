"""One meaning for each word: tables, columns and stored documents take the names of the glossary"""

from collections.abc import Mapping

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_DEFINITION = {
    '"backends": [': '"upstream_servers": [',
    '{{ backend(': '{{ servers(',
    '"slot": "backend"': '"slot": "upstream"',
    '"backend": "': '"server": "',
    '"check": ': '"health_check": ',
}
_SPEC = {
    '"backends": [': '"upstream_servers": [',
    '"backend": "': '"endpoint": "',
    "backend.": "upstream.",
    '"check": ': '"health_check": ',
}
_LAYOUT = {'"backend_': '"upstream_', '{"backend": ': '{"upstream": ', '"role": "backend"': '"role": "upstream"'}
_EVENT = {'"role": "backend"': '"role": "upstream"', '"name": "backend.': '"name": "upstream.'}
_INVENTORY = {'"backend"': '"upstream"'}


def _rewrite(table: str, column: str, words: Mapping[str, str]) -> None:
    """Replace text within stored JSON. PostgreSQL prints jsonb with one space after each colon and comma."""
    text = sa.cast(sa.column(column), sa.Text)
    for old, new in words.items():
        text = sa.func.replace(text, old, new)
    changed = sa.cast(text, sa.dialects.postgresql.JSONB)
    op.execute(sa.update(sa.table(table, sa.column(column))).values({column: changed}))


def upgrade() -> None:
    op.rename_table("trial_part", "trial_host")
    op.rename_table("config_check", "config_test")
    op.alter_column("latency_interval", "measure", new_column_name="quantity")
    _rename_constraints("trial_part", "trial_host")
    _rename_constraints("config_check", "config_test")
    _rewrite("experiment_version", "definition", _DEFINITION)
    _rewrite("config_test", "definition", _DEFINITION)
    _rewrite("config_test", "request", _SPEC)
    _rewrite("trial_host", "spec", _SPEC)
    _rewrite("layout", "series", _LAYOUT)
    _rewrite("trial_event", "event", _EVENT)
    _rewrite("host", "inventory", _INVENTORY)
    _rewrite("run_host", "inventory", _INVENTORY)
    op.execute("UPDATE run_host SET slot = 'upstream' WHERE slot = 'backend'")
    op.execute("UPDATE trial SET summary = NULL, checks = NULL")  # computed anew when a report is opened


def _rename_constraints(old: str, new: str) -> None:
    """Constraints and indexes carry their table's name."""
    op.execute(f"""
        DO $$ DECLARE one record; BEGIN
            FOR one IN SELECT conname FROM pg_constraint WHERE conrelid = '{new}'::regclass AND conname LIKE '%{old}%'
            LOOP
                EXECUTE format('ALTER TABLE {new} RENAME CONSTRAINT %I TO %I', one.conname,
                               replace(one.conname, '{old}', '{new}'));
            END LOOP;
            FOR one IN SELECT indexname FROM pg_indexes WHERE tablename = '{new}' AND indexname LIKE '%{old}%'
            LOOP
                EXECUTE format('ALTER INDEX %I RENAME TO %I', one.indexname, replace(one.indexname, '{old}', '{new}'));
            END LOOP;
        END $$
    """)


def downgrade() -> None:
    raise NotImplementedError("the words of before are gone")
