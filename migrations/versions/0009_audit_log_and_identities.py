"""An audit log that can be added to only; accounts without a password, known by an identity at a provider"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TIME = sa.TIMESTAMP(timezone=True)
_STATEMENTS = [
    """
CREATE FUNCTION audit_entry_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The retention of the backend says so, and 90 days are kept whatever it says.
    IF TG_OP = 'DELETE' THEN
        IF current_setting('ngxlab.audit_retention', true) = 'on' AND OLD.at < now() - interval '90 days' THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit log can be added to only' USING ERRCODE = 'insufficient_privilege';
END $$
""",
    """
CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR DELETE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_entry_stays()
""",
    """
CREATE TRIGGER audit_entry_is_not_emptied BEFORE TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays()
""",
    """
CREATE FUNCTION audit_tally_only_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.key = OLD.key AND NEW.entry_id = OLD.entry_id AND NEW.count > OLD.count THEN
            RETURN NEW;
        END IF;
    ELSIF TG_OP = 'DELETE' THEN
        IF NOT EXISTS (SELECT FROM audit_entry WHERE id = OLD.entry_id) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit log can be added to only' USING ERRCODE = 'insufficient_privilege';
END $$
""",
    """
CREATE TRIGGER audit_tally_only_counts BEFORE UPDATE OR DELETE ON audit_tally
    FOR EACH ROW EXECUTE FUNCTION audit_tally_only_counts()
""",
    """
CREATE TRIGGER audit_tally_is_not_emptied BEFORE TRUNCATE ON audit_tally
    FOR EACH STATEMENT EXECUTE FUNCTION audit_tally_only_counts()
""",
]


def upgrade() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("at", _TIME, server_default=sa.func.now(), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_id", sa.Uuid()),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("actor_token", sa.String()),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("object_kind", sa.String()),
        sa.Column("object_id", sa.Uuid()),
        sa.Column("object_name", sa.String()),
        sa.Column("detail", JSONB(), nullable=False),
        sa.Column("address", sa.String()),
        sa.Column("request_id", sa.String()),
        sa.CheckConstraint(
            "actor_kind IN ('person', 'host', 'system', 'anyone')", name=op.f("ck_audit_entry_actor_kind")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    op.create_index(op.f("ix_audit_entry_at"), "audit_entry", ["at"])
    op.create_index("ix_audit_entry_actor_id", "audit_entry", ["actor_id", "id"])
    op.create_index("ix_audit_entry_act", "audit_entry", ["act", "id"])
    op.create_index("ix_audit_entry_object_id", "audit_entry", ["object_id", "id"])
    op.create_table(
        "audit_tally",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("last_at", _TIME, server_default=sa.func.now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["audit_entry.id"], name=op.f("fk_audit_tally_entry_id_audit_entry"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_audit_tally")),
        sa.UniqueConstraint("entry_id", name=op.f("uq_audit_tally_entry_id")),
    )
    for statement in _STATEMENTS:
        op.execute(statement)


    _add_identities()


def _add_identities() -> None:
    op.alter_column("account", "password_hash", nullable=True)
    op.create_table(
        "account_identity",
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("created_at", _TIME, server_default=sa.func.now(), nullable=False),
        sa.Column("last_used_at", _TIME, server_default=sa.func.now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_account_identity_account_id_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_account_identity")),
    )
    op.create_index(op.f("ix_account_identity_account_id"), "account_identity", ["account_id"])
    op.create_table(
        "link_permit",
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_link_permit_account_id_account"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_link_permit")),
    )


def downgrade() -> None:
    op.drop_table("link_permit")
    op.drop_table("account_identity")
    op.execute("DELETE FROM account WHERE password_hash IS NULL")
    op.alter_column("account", "password_hash", nullable=False)
    op.drop_table("audit_tally")
    op.drop_table("audit_entry")
    op.execute("DROP FUNCTION audit_entry_stays")
    op.execute("DROP FUNCTION audit_tally_only_counts")
