"""Seals of the audit log can be added to only, as its entries."""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE FUNCTION audit_seal_stays() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'the audit log can be added to only' USING ERRCODE = 'insufficient_privilege';
        END $$
    """)
    op.execute("""
        CREATE TRIGGER audit_seal_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_seal
        FOR EACH STATEMENT EXECUTE FUNCTION audit_seal_stays()
    """)


def downgrade() -> None:
    op.execute("DROP TRIGGER audit_seal_stays ON audit_seal")
    op.execute("DROP FUNCTION audit_seal_stays()")
