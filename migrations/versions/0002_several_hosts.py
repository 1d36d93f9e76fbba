"""Several hosts in a run, pausing and skipping, blocks added by a stop rule"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TRIAL_STATES = "pending dispatched preparing ready warmup measuring finishing completed failed cancelled lost".split()


def _check_trial_states(states: list[str]) -> None:
    op.drop_constraint(op.f("ck_trial_state"), "trial")
    op.create_check_constraint(op.f("ck_trial_state"), "trial", f"state IN ({', '.join(repr(s) for s in states)})")


def upgrade() -> None:
    # Arms used to be listed in the definition; now a design says which combinations of levels run.
    op.execute(
        "UPDATE experiment_version SET definition = (definition - 'arms') || jsonb_build_object('design', "
        "jsonb_build_object('kind', 'chosen', 'arms', definition -> 'arms')) WHERE definition ? 'arms'"
    )
    op.add_column("run", sa.Column("paused_at", sa.TIMESTAMP(timezone=True), nullable=True))
    op.add_column("run", sa.Column("passed", sa.Boolean(), nullable=True))
    op.add_column("run", sa.Column("blocks", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE run SET blocks = (definition -> 'plan' ->> 'blocks')::int FROM experiment_version v "
        "WHERE v.id = run.experiment_version_id"
    )
    op.alter_column("run", "blocks", nullable=False)
    op.alter_column("run_host", "role", new_column_name="slot")
    op.add_column("run_host", sa.Column("address", sa.String(), server_default="127.0.0.1", nullable=False))
    op.alter_column("run_host", "address", server_default=None)
    # The one host of a run used to play everything under the slot "target".
    op.drop_constraint(op.f("pk_run_host"), "run_host")
    op.execute(
        "INSERT INTO run_host (run_id, host_id, slot, address, inventory) "
        "SELECT run_id, host_id, 'generator', address, inventory FROM run_host"
    )
    op.create_primary_key(op.f("pk_run_host"), "run_host", ["run_id", "slot"])
    op.create_index(op.f("ix_run_host_host_id"), "run_host", ["host_id"])
    op.add_column(
        "trial_part", sa.Column("endpoints", postgresql.JSONB(), server_default=sa.text("'[]'"), nullable=False)
    )
    op.alter_column("trial_part", "endpoints", server_default=None)
    op.add_column("trial_part", sa.Column("ended_streams", sa.Integer(), server_default="0", nullable=False))
    op.alter_column("trial_part", "ended_streams", server_default=None)
    _check_trial_states([*_TRIAL_STATES, "skipped"])


def downgrade() -> None:
    op.execute("UPDATE trial SET state = 'cancelled' WHERE state = 'skipped'")
    _check_trial_states(_TRIAL_STATES)
    op.drop_column("trial_part", "ended_streams")
    op.drop_column("trial_part", "endpoints")
    op.drop_index(op.f("ix_run_host_host_id"), "run_host")
    op.drop_constraint(op.f("pk_run_host"), "run_host")
    op.drop_column("run_host", "address")
    op.execute("DELETE FROM run_host WHERE slot <> 'target'")
    op.alter_column("run_host", "slot", new_column_name="role")
    op.create_primary_key(op.f("pk_run_host"), "run_host", ["run_id", "host_id", "role"])
    op.drop_column("run", "blocks")
    op.drop_column("run", "passed")
    op.drop_column("run", "paused_at")
