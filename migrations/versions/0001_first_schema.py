"""First schema"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = '0001'
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('account',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('email', sa.String(), nullable=False),
    sa.Column('role', sa.String(), nullable=False),
    sa.Column('password_hash', sa.String(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('disabled_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.CheckConstraint("role IN ('viewer', 'experimenter', 'administrator')", name=op.f('ck_account_role')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_account')),
    sa.UniqueConstraint('email', name=op.f('uq_account_email'))
    )
    op.create_table('frame',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('trial_id', sa.Uuid(), nullable=False),
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('layout', sa.SmallInteger(), nullable=False),
    sa.Column('t_us', sa.BigInteger(), nullable=False),
    sa.Column('took_us', sa.Integer(), nullable=False),
    sa.Column('live_seq', sa.BigInteger(), nullable=False),
    sa.Column('values', sa.ARRAY(sa.Double()), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_frame'))
    )
    op.create_index(op.f('ix_frame_trial_id_host_id_layout_t_us'), 'frame', ['trial_id', 'host_id', 'layout', 't_us'], unique=False)
    op.create_table('latency_interval',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('trial_id', sa.Uuid(), nullable=False),
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('stream', sa.String(), nullable=False),
    sa.Column('t0_us', sa.BigInteger(), nullable=False),
    sa.Column('t1_us', sa.BigInteger(), nullable=False),
    sa.Column('count', sa.BigInteger(), nullable=False),
    sa.Column('histogram', sa.String(), nullable=True),
    sa.Column('live_seq', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_latency_interval'))
    )
    op.create_index(op.f('ix_latency_interval_trial_id_host_id_t0_us'), 'latency_interval', ['trial_id', 'host_id', 't0_us'], unique=False)
    op.create_table('trial_event',
    sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
    sa.Column('trial_id', sa.Uuid(), nullable=False),
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('t_us', sa.BigInteger(), nullable=False),
    sa.Column('live_seq', sa.BigInteger(), nullable=False),
    sa.Column('event', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_trial_event'))
    )
    op.create_index(op.f('ix_trial_event_trial_id_host_id_id'), 'trial_event', ['trial_id', 'host_id', 'id'], unique=False)
    op.create_table('api_token',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('account_id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('expires_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('last_used_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('revoked_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_api_token_account_id_account'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_token')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_api_token_token_hash'))
    )
    op.create_index(op.f('ix_api_token_account_id'), 'api_token', ['account_id'], unique=False)
    op.create_table('experiment',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('template_key', sa.String(), nullable=True),
    sa.Column('created_by', sa.Uuid(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('archived_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['created_by'], ['account.id'], name=op.f('fk_experiment_created_by_account')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_experiment'))
    )
    op.create_table('host',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('credential_hash', sa.String(), nullable=False),
    sa.Column('inventory', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.Column('inventory_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=True),
    sa.Column('agent_instance', sa.Uuid(), nullable=True),
    sa.Column('heartbeat_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('clock_offset_us', sa.BigInteger(), nullable=True),
    sa.Column('clock_rtt_us', sa.BigInteger(), nullable=True),
    sa.Column('active_trial_id', sa.Uuid(), nullable=True),
    sa.Column('draining', sa.Boolean(), nullable=False),
    sa.Column('removed_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['created_by'], ['account.id'], name=op.f('fk_host_created_by_account')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_host')),
    sa.UniqueConstraint('credential_hash', name=op.f('uq_host_credential_hash'))
    )
    op.create_index('uq_host_name', 'host', ['name'], unique=True, postgresql_where=sa.text('removed_at IS NULL'))
    op.create_table('login_session',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('account_id', sa.Uuid(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('csrf_token', sa.String(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('expires_at', sa.TIMESTAMP(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_login_session_account_id_account'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_login_session')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_login_session_token_hash'))
    )
    op.create_index(op.f('ix_login_session_account_id'), 'login_session', ['account_id'], unique=False)
    op.create_table('enrolment_token',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=True),
    sa.Column('expires_at', sa.TIMESTAMP(timezone=True), nullable=False),
    sa.Column('used_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('host_id', sa.Uuid(), nullable=True),
    sa.ForeignKeyConstraint(['created_by'], ['account.id'], name=op.f('fk_enrolment_token_created_by_account')),
    sa.ForeignKeyConstraint(['host_id'], ['host.id'], name=op.f('fk_enrolment_token_host_id_host')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_enrolment_token')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_enrolment_token_token_hash'))
    )
    op.create_table('experiment_version',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('experiment_id', sa.Uuid(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('definition', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.ForeignKeyConstraint(['created_by'], ['account.id'], name=op.f('fk_experiment_version_created_by_account')),
    sa.ForeignKeyConstraint(['experiment_id'], ['experiment.id'], name=op.f('fk_experiment_version_experiment_id_experiment')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_experiment_version')),
    sa.UniqueConstraint('experiment_id', 'number', name=op.f('uq_experiment_version_experiment_id_number'))
    )
    op.create_table('run',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('experiment_id', sa.Uuid(), nullable=False),
    sa.Column('experiment_version_id', sa.Uuid(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('state', sa.String(), nullable=False),
    sa.Column('state_code', sa.String(), nullable=True),
    sa.Column('state_reason', sa.String(), nullable=True),
    sa.Column('cancel_requested_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('seed', sa.BigInteger(), nullable=False),
    sa.Column('note', sa.String(), nullable=True),
    sa.Column('created_by', sa.Uuid(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('started_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('finished_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('live_seq', sa.BigInteger(), nullable=False),
    sa.Column('lease_holder', sa.Uuid(), nullable=True),
    sa.Column('lease_expires_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('hinted_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('analysis', postgresql.JSONB(astext_type=sa.Text()), nullable=True),
    sa.CheckConstraint("state IN ('queued', 'running', 'completed', 'failed', 'cancelled')", name=op.f('ck_run_state')),
    sa.ForeignKeyConstraint(['created_by'], ['account.id'], name=op.f('fk_run_created_by_account')),
    sa.ForeignKeyConstraint(['experiment_id'], ['experiment.id'], name=op.f('fk_run_experiment_id_experiment')),
    sa.ForeignKeyConstraint(['experiment_version_id'], ['experiment_version.id'], name=op.f('fk_run_experiment_version_id_experiment_version')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_run')),
    sa.UniqueConstraint('experiment_id', 'number', name=op.f('uq_run_experiment_id_number'))
    )
    op.create_table('host_lease',
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('run_id', sa.Uuid(), nullable=False),
    sa.Column('acquired_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('expires_at', sa.TIMESTAMP(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['host_id'], ['host.id'], name=op.f('fk_host_lease_host_id_host')),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], name=op.f('fk_host_lease_run_id_run')),
    sa.PrimaryKeyConstraint('host_id', name=op.f('pk_host_lease'))
    )
    op.create_index(op.f('ix_host_lease_run_id'), 'host_lease', ['run_id'], unique=False)
    op.create_table('run_host',
    sa.Column('run_id', sa.Uuid(), nullable=False),
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('role', sa.String(), nullable=False),
    sa.Column('inventory', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.ForeignKeyConstraint(['host_id'], ['host.id'], name=op.f('fk_run_host_host_id_host')),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], name=op.f('fk_run_host_run_id_run'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('run_id', 'host_id', 'role', name=op.f('pk_run_host'))
    )
    op.create_table('share',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('run_id', sa.Uuid(), nullable=False),
    sa.Column('token', sa.String(), nullable=False),
    sa.Column('created_by', sa.Uuid(), nullable=False),
    sa.Column('created_at', sa.TIMESTAMP(timezone=True), server_default=sa.text('now()'), nullable=False),
    sa.Column('expires_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('revoked_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['created_by'], ['account.id'], name=op.f('fk_share_created_by_account')),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], name=op.f('fk_share_run_id_run'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_share')),
    sa.UniqueConstraint('token', name=op.f('uq_share_token'))
    )
    op.create_index(op.f('ix_share_run_id'), 'share', ['run_id'], unique=False)
    op.create_table('trial',
    sa.Column('id', sa.Uuid(), nullable=False),
    sa.Column('run_id', sa.Uuid(), nullable=False),
    sa.Column('position', sa.Integer(), nullable=False),
    sa.Column('block', sa.Integer(), nullable=False),
    sa.Column('arm', sa.String(), nullable=False),
    sa.Column('attempt', sa.Integer(), nullable=False),
    sa.Column('state', sa.String(), nullable=False),
    sa.Column('code', sa.String(), nullable=True),
    sa.Column('reason', sa.String(), nullable=True),
    sa.Column('start_at_us', sa.BigInteger(), nullable=True),
    sa.Column('dispatched_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('phase_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('finished_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('summary', postgresql.JSONB(astext_type=sa.Text()), nullable=True),
    sa.Column('checks', postgresql.JSONB(astext_type=sa.Text()), nullable=True),
    sa.CheckConstraint("state IN ('pending', 'dispatched', 'preparing', 'ready', 'warmup', 'measuring', 'finishing', 'completed', 'failed', 'cancelled', 'lost')", name=op.f('ck_trial_state')),
    sa.ForeignKeyConstraint(['run_id'], ['run.id'], name=op.f('fk_trial_run_id_run'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_trial')),
    sa.UniqueConstraint('run_id', 'position', 'attempt', name=op.f('uq_trial_run_id_position_attempt'))
    )
    op.create_index(op.f('ix_trial_run_id'), 'trial', ['run_id'], unique=False)
    op.create_table('artefact',
    sa.Column('trial_id', sa.Uuid(), nullable=False),
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('text', sa.String(), nullable=False),
    sa.Column('truncated', sa.Boolean(), nullable=False),
    sa.ForeignKeyConstraint(['host_id'], ['host.id'], name=op.f('fk_artefact_host_id_host')),
    sa.ForeignKeyConstraint(['trial_id'], ['trial.id'], name=op.f('fk_artefact_trial_id_trial'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('trial_id', 'host_id', 'name', name=op.f('pk_artefact'))
    )
    op.create_table('layout',
    sa.Column('trial_id', sa.Uuid(), nullable=False),
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
    sa.Column('collector', sa.String(), nullable=False),
    sa.Column('series', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.ForeignKeyConstraint(['host_id'], ['host.id'], name=op.f('fk_layout_host_id_host')),
    sa.ForeignKeyConstraint(['trial_id'], ['trial.id'], name=op.f('fk_layout_trial_id_trial'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('trial_id', 'host_id', 'id', name=op.f('pk_layout'))
    )
    op.create_table('trial_part',
    sa.Column('trial_id', sa.Uuid(), nullable=False),
    sa.Column('host_id', sa.Uuid(), nullable=False),
    sa.Column('spec', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
    sa.Column('claimed_by', sa.Uuid(), nullable=True),
    sa.Column('phase', sa.String(), nullable=True),
    sa.Column('outcome', sa.String(), nullable=True),
    sa.Column('acked_seq', sa.Integer(), nullable=False),
    sa.Column('last_batch_at', sa.TIMESTAMP(timezone=True), nullable=True),
    sa.Column('clock_offset_us', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['host_id'], ['host.id'], name=op.f('fk_trial_part_host_id_host')),
    sa.ForeignKeyConstraint(['trial_id'], ['trial.id'], name=op.f('fk_trial_part_trial_id_trial'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('trial_id', 'host_id', name=op.f('pk_trial_part'))
    )


def downgrade() -> None:
    op.drop_table('trial_part')
    op.drop_table('layout')
    op.drop_table('artefact')
    op.drop_index(op.f('ix_trial_run_id'), table_name='trial')
    op.drop_table('trial')
    op.drop_index(op.f('ix_share_run_id'), table_name='share')
    op.drop_table('share')
    op.drop_table('run_host')
    op.drop_index(op.f('ix_host_lease_run_id'), table_name='host_lease')
    op.drop_table('host_lease')
    op.drop_table('run')
    op.drop_table('experiment_version')
    op.drop_table('enrolment_token')
    op.drop_index(op.f('ix_login_session_account_id'), table_name='login_session')
    op.drop_table('login_session')
    op.drop_index('uq_host_name', table_name='host', postgresql_where=sa.text('removed_at IS NULL'))
    op.drop_table('host')
    op.drop_table('experiment')
    op.drop_index(op.f('ix_api_token_account_id'), table_name='api_token')
    op.drop_table('api_token')
    op.drop_index(op.f('ix_trial_event_trial_id_host_id_id'), table_name='trial_event')
    op.drop_table('trial_event')
    op.drop_index(op.f('ix_latency_interval_trial_id_host_id_t0_us'), table_name='latency_interval')
    op.drop_table('latency_interval')
    op.drop_index(op.f('ix_frame_trial_id_host_id_layout_t_us'), table_name='frame')
    op.drop_table('frame')
    op.drop_table('account')
