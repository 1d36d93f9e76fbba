-- The schema of version 0.9.0, which revision 0026 makes. It is never edited: a change is a migration of its own.
-- Made of what pg_dump writes of a database that the 26 migrations before 0.9.0 have made.

CREATE FUNCTION audit_entry_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- The retention of the backend says so, and 90 days are kept whatever it says.
    IF TG_OP = 'DELETE' THEN
        IF current_setting('ngxlab.audit_retention', true) = 'on' AND OLD.at < now() - interval '90 days' THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit log can be added to only' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION audit_tally_only_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
END $$;

CREATE TABLE account (
    id uuid NOT NULL,
    email varchar NOT NULL,
    role varchar NOT NULL,
    password_hash varchar,
    created_at timestamptz DEFAULT now() NOT NULL,
    disabled_at timestamptz,
    one_time_password_until timestamptz,
    language varchar,
    CONSTRAINT ck_account_language CHECK (language IN ('en', 'zh-Hans')),
    CONSTRAINT ck_account_role CHECK (role IN ('viewer', 'experimenter', 'administrator')),
    CONSTRAINT pk_account PRIMARY KEY (id),
    CONSTRAINT uq_account_email UNIQUE (email)
);

CREATE TABLE account_identity (
    issuer varchar NOT NULL,
    subject varchar NOT NULL,
    account_id uuid NOT NULL,
    email varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    last_used_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_account_identity PRIMARY KEY (issuer, subject),
    CONSTRAINT fk_account_identity_account_id_account FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX ix_account_identity_account_id ON account_identity (account_id);

CREATE TABLE api_token (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name varchar NOT NULL,
    token_hash varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz,
    scope varchar NOT NULL,
    CONSTRAINT ck_api_token_scope CHECK (scope IN ('read', 'operate', 'administer')),
    CONSTRAINT pk_api_token PRIMARY KEY (id),
    CONSTRAINT uq_api_token_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_api_token_account_id_account FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX ix_api_token_account_id ON api_token (account_id);

CREATE TABLE audit_entry (
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz DEFAULT now() NOT NULL,
    actor_kind varchar NOT NULL,
    actor_id uuid,
    actor_name varchar NOT NULL,
    actor_token varchar,
    act varchar NOT NULL,
    object_kind varchar,
    object_id uuid,
    object_name varchar,
    detail jsonb NOT NULL,
    address varchar,
    request_id varchar,
    CONSTRAINT ck_audit_entry_actor_kind CHECK (actor_kind IN ('person', 'host', 'system', 'anyone')),
    CONSTRAINT pk_audit_entry PRIMARY KEY (id)
);
CREATE INDEX ix_audit_entry_act ON audit_entry (act, id);
CREATE INDEX ix_audit_entry_actor_id ON audit_entry (actor_id, id);
CREATE INDEX ix_audit_entry_at ON audit_entry (at);
CREATE INDEX ix_audit_entry_object_id ON audit_entry (object_id, id);

CREATE TABLE audit_tally (
    key varchar NOT NULL,
    entry_id bigint NOT NULL,
    count integer NOT NULL,
    last_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_audit_tally PRIMARY KEY (key),
    CONSTRAINT uq_audit_tally_entry_id UNIQUE (entry_id),
    CONSTRAINT fk_audit_tally_entry_id_audit_entry FOREIGN KEY (entry_id) REFERENCES audit_entry(id) ON DELETE CASCADE
);

CREATE TABLE coordinator (
    instance uuid NOT NULL,
    pulse_at timestamptz NOT NULL,
    broker_age_s float8 NOT NULL,
    CONSTRAINT pk_coordinator PRIMARY KEY (instance)
);

CREATE TABLE derived_series (
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    key varchar NOT NULL,
    derived_by varchar NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT pk_derived_series PRIMARY KEY (trial_id, host_id, key)
);
ALTER TABLE derived_series ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX ix_derived_series_derived_by ON derived_series (derived_by) WHERE key = '';

CREATE TABLE discarded_trial (
    trial_id uuid NOT NULL,
    discarded_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_discarded_trial PRIMARY KEY (trial_id)
);
CREATE INDEX ix_discarded_trial_discarded_at ON discarded_trial (discarded_at);

CREATE TABLE experiment (
    id uuid NOT NULL,
    name varchar NOT NULL,
    template_key varchar,
    created_by uuid NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    archived_at timestamptz,
    deleted_number integer DEFAULT 0 NOT NULL,
    CONSTRAINT pk_experiment PRIMARY KEY (id),
    CONSTRAINT fk_experiment_created_by_account FOREIGN KEY (created_by) REFERENCES account(id)
);

CREATE TABLE experiment_version (
    id uuid NOT NULL,
    experiment_id uuid NOT NULL,
    number integer NOT NULL,
    definition jsonb NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_experiment_version PRIMARY KEY (id),
    CONSTRAINT uq_experiment_version_experiment_id_number UNIQUE (experiment_id, number),
    CONSTRAINT fk_experiment_version_created_by_account FOREIGN KEY (created_by) REFERENCES account(id),
    CONSTRAINT fk_experiment_version_experiment_id_experiment FOREIGN KEY (experiment_id) REFERENCES experiment(id)
);

CREATE TABLE frame (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    layout smallint NOT NULL,
    t_us bigint NOT NULL,
    took_us integer NOT NULL,
    live_seq bigint NOT NULL,
    "values" float8[] NOT NULL,
    CONSTRAINT pk_frame PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE frame ALTER COLUMN "values" SET COMPRESSION lz4;
CREATE INDEX ix_frame_trial_id_host_id_layout_t_us ON frame (trial_id, host_id, layout, t_us);

CREATE TABLE frame_block (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    layout smallint NOT NULL,
    first_us bigint NOT NULL,
    last_us bigint NOT NULL,
    readings integer NOT NULL,
    last_live_seq bigint NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT pk_frame_block PRIMARY KEY (id)
);
ALTER TABLE frame_block ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX ix_frame_block_trial_id_host_id_layout_first_us ON frame_block (trial_id, host_id, layout, first_us);

CREATE TABLE host (
    id uuid NOT NULL,
    name varchar NOT NULL,
    credential_hash varchar NOT NULL,
    inventory jsonb NOT NULL,
    inventory_at timestamptz DEFAULT now() NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    created_by uuid,
    agent_instance uuid,
    heartbeat_at timestamptz,
    clock_offset_us bigint,
    clock_rtt_us bigint,
    active_trial_id uuid,
    draining boolean NOT NULL,
    removed_at timestamptz,
    agent_version varchar NOT NULL,
    protocol varchar NOT NULL,
    sightings jsonb NOT NULL,
    conflict varchar,
    broker_password_hash varchar,
    away_since timestamptz,
    CONSTRAINT pk_host PRIMARY KEY (id),
    CONSTRAINT uq_host_credential_hash UNIQUE (credential_hash),
    CONSTRAINT fk_host_created_by_account FOREIGN KEY (created_by) REFERENCES account(id)
);
CREATE UNIQUE INDEX uq_host_name ON host (name) WHERE removed_at IS NULL;

CREATE TABLE config_test (
    id uuid NOT NULL,
    host_id uuid NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    state varchar NOT NULL,
    definition jsonb NOT NULL,
    request jsonb NOT NULL,
    result jsonb,
    CONSTRAINT ck_config_test_state CHECK (state IN ('pending', 'done', 'failed')),
    CONSTRAINT pk_config_test PRIMARY KEY (id),
    CONSTRAINT fk_config_test_created_by_account FOREIGN KEY (created_by) REFERENCES account(id),
    CONSTRAINT fk_config_test_host_id_host FOREIGN KEY (host_id) REFERENCES host(id)
);

CREATE TABLE enrolment_token (
    id uuid NOT NULL,
    token_hash varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    created_by uuid,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    host_id uuid,
    CONSTRAINT pk_enrolment_token PRIMARY KEY (id),
    CONSTRAINT uq_enrolment_token_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_enrolment_token_created_by_account FOREIGN KEY (created_by) REFERENCES account(id),
    CONSTRAINT fk_enrolment_token_host_id_host FOREIGN KEY (host_id) REFERENCES host(id)
);

CREATE TABLE host_history_deletion (
    host_id uuid NOT NULL,
    asked_at timestamptz NOT NULL,
    verdicts boolean NOT NULL,
    starred boolean NOT NULL,
    shared boolean NOT NULL,
    others boolean NOT NULL,
    CONSTRAINT pk_host_history_deletion PRIMARY KEY (host_id),
    CONSTRAINT fk_host_history_deletion_host_id_host FOREIGN KEY (host_id) REFERENCES host(id)
);

CREATE TABLE interval_block (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    first_us bigint NOT NULL,
    last_us bigint NOT NULL,
    intervals integer NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT pk_interval_block PRIMARY KEY (id)
);
ALTER TABLE interval_block ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX ix_interval_block_trial_id_host_id_first_us ON interval_block (trial_id, host_id, first_us);

CREATE TABLE known_device (
    account_id uuid NOT NULL,
    token_hash varchar NOT NULL,
    last_used_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_known_device PRIMARY KEY (account_id, token_hash),
    CONSTRAINT fk_known_device_account_id_account FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

CREATE TABLE latency_interval (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    stream varchar NOT NULL,
    t0_us bigint NOT NULL,
    t1_us bigint NOT NULL,
    count bigint NOT NULL,
    histogram varchar,
    live_seq bigint NOT NULL,
    quantity varchar DEFAULT 'latency' NOT NULL,
    CONSTRAINT pk_latency_interval PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ix_latency_interval_trial_id_host_id_t0_us ON latency_interval (trial_id, host_id, t0_us);

CREATE TABLE link_permit (
    account_id uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT pk_link_permit PRIMARY KEY (account_id),
    CONSTRAINT fk_link_permit_account_id_account FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);

CREATE TABLE login_session (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    token_hash varchar NOT NULL,
    csrf_token varchar NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used_at timestamptz DEFAULT now() NOT NULL,
    address varchar,
    user_agent varchar,
    CONSTRAINT pk_login_session PRIMARY KEY (id),
    CONSTRAINT uq_login_session_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_login_session_account_id_account FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX ix_login_session_account_id ON login_session (account_id);

CREATE TABLE notification_channel (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind varchar NOT NULL,
    url varchar,
    secret varchar,
    runs boolean NOT NULL,
    hosts boolean NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT ck_notification_channel_kind CHECK (kind IN ('email', 'webhook')),
    CONSTRAINT ck_notification_channel_webhook CHECK ((kind = 'webhook') = (url IS NOT NULL AND secret IS NOT NULL)),
    CONSTRAINT pk_notification_channel PRIMARY KEY (id),
    CONSTRAINT fk_notification_channel_account_id_account
        FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX ix_notification_channel_account_id ON notification_channel (account_id);
CREATE UNIQUE INDEX uq_notification_channel_email ON notification_channel (account_id) WHERE kind = 'email';

CREATE TABLE notification (
    id uuid NOT NULL,
    channel_id uuid NOT NULL,
    kind varchar NOT NULL,
    subject_id uuid,
    detail jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    body jsonb,
    attempts integer NOT NULL,
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    delivered_at timestamptz,
    last_error varchar,
    CONSTRAINT pk_notification PRIMARY KEY (id),
    CONSTRAINT fk_notification_channel_id_notification_channel
        FOREIGN KEY (channel_id) REFERENCES notification_channel(id) ON DELETE CASCADE
);
CREATE INDEX ix_notification_channel_id ON notification (channel_id, created_at);
CREATE INDEX ix_notification_due ON notification (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

CREATE TABLE run (
    id uuid NOT NULL,
    experiment_id uuid NOT NULL,
    experiment_version_id uuid NOT NULL,
    number integer NOT NULL,
    state varchar NOT NULL,
    state_code varchar,
    state_reason varchar,
    cancel_requested_at timestamptz,
    seed bigint NOT NULL,
    note varchar,
    created_by uuid NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    live_seq bigint NOT NULL,
    lease_holder uuid,
    lease_expires_at timestamptz,
    hinted_at timestamptz,
    analysis jsonb,
    paused_at timestamptz,
    passed boolean,
    blocks integer NOT NULL,
    finish_requested_at timestamptz,
    builds jsonb DEFAULT '{}' NOT NULL,
    words tsvector GENERATED ALWAYS AS (
        to_tsvector('simple', coalesce(note, '') || ' ' || coalesce(analysis ->> 'headline', ''))
    ) STORED,
    verdict varchar GENERATED ALWAYS AS (analysis ->> 'verdict') STORED,
    nginx_versions jsonb GENERATED ALWAYS AS (
        CASE WHEN jsonb_typeof(analysis -> 'nginx') = 'array' THEN analysis -> 'nginx' ELSE '[]'::jsonb END
    ) STORED,
    starred boolean DEFAULT false NOT NULL,
    raw_bytes bigint,
    raw_removed_at timestamptz,
    raw_removed_days integer,
    tags varchar[] DEFAULT '{}' NOT NULL,
    packed_at timestamptz,
    CONSTRAINT ck_run_state CHECK (state IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
    CONSTRAINT pk_run PRIMARY KEY (id),
    CONSTRAINT uq_run_experiment_id_number UNIQUE (experiment_id, number),
    CONSTRAINT fk_run_created_by_account FOREIGN KEY (created_by) REFERENCES account(id),
    CONSTRAINT fk_run_experiment_id_experiment FOREIGN KEY (experiment_id) REFERENCES experiment(id),
    CONSTRAINT fk_run_experiment_version_id_experiment_version
        FOREIGN KEY (experiment_version_id) REFERENCES experiment_version(id)
);
CREATE INDEX ix_run_created_at ON run (created_at);
CREATE INDEX ix_run_starred ON run (created_at) WHERE starred;
CREATE INDEX ix_run_state ON run (state);
CREATE INDEX ix_run_tags ON run USING gin (tags);
CREATE INDEX ix_run_unmeasured ON run (finished_at) WHERE finished_at IS NOT NULL AND raw_bytes IS NULL;
CREATE INDEX ix_run_unpacked ON run (finished_at)
    WHERE finished_at IS NOT NULL AND packed_at IS NULL AND raw_removed_at IS NULL;
CREATE INDEX ix_run_words ON run USING gin (words);

CREATE TABLE calibration (
    id uuid NOT NULL,
    run_id uuid,
    template_key varchar,
    load_key varchar NOT NULL,
    measure_s float8 NOT NULL,
    hosts jsonb NOT NULL,
    fingerprint jsonb NOT NULL,
    noise jsonb NOT NULL,
    taken_at timestamptz NOT NULL,
    experiment_id uuid NOT NULL,
    host_names jsonb NOT NULL,
    CONSTRAINT pk_calibration PRIMARY KEY (id),
    CONSTRAINT uq_calibration_run_id UNIQUE (run_id),
    CONSTRAINT fk_calibration_experiment_id_experiment FOREIGN KEY (experiment_id) REFERENCES experiment(id),
    CONSTRAINT fk_calibration_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE SET NULL
);
CREATE INDEX ix_calibration_load_key ON calibration (load_key);

CREATE TABLE host_lease (
    host_id uuid NOT NULL,
    run_id uuid NOT NULL,
    acquired_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT pk_host_lease PRIMARY KEY (host_id),
    CONSTRAINT fk_host_lease_host_id_host FOREIGN KEY (host_id) REFERENCES host(id),
    CONSTRAINT fk_host_lease_run_id_run FOREIGN KEY (run_id) REFERENCES run(id)
);
CREATE INDEX ix_host_lease_run_id ON host_lease (run_id);

CREATE TABLE run_host (
    run_id uuid NOT NULL,
    host_id uuid NOT NULL,
    slot varchar NOT NULL,
    inventory jsonb NOT NULL,
    address varchar NOT NULL,
    CONSTRAINT pk_run_host PRIMARY KEY (run_id, slot),
    CONSTRAINT fk_run_host_host_id_host FOREIGN KEY (host_id) REFERENCES host(id),
    CONSTRAINT fk_run_host_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE
);
CREATE INDEX ix_run_host_host_id ON run_host (host_id);

CREATE TABLE run_import (
    run_id uuid NOT NULL,
    origin varchar NOT NULL,
    author varchar NOT NULL,
    sha256 varchar NOT NULL,
    calibration jsonb,
    calibration_stale varchar,
    imported_by uuid NOT NULL,
    imported_at timestamptz DEFAULT now() NOT NULL,
    CONSTRAINT pk_run_import PRIMARY KEY (run_id),
    CONSTRAINT fk_run_import_imported_by_account FOREIGN KEY (imported_by) REFERENCES account(id),
    CONSTRAINT fk_run_import_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE
);

CREATE TABLE schedule (
    id uuid NOT NULL,
    experiment_id uuid NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    timing jsonb NOT NULL,
    request jsonb NOT NULL,
    last_day date,
    most_runs integer,
    started integer NOT NULL,
    next_at timestamptz,
    paused_at timestamptz,
    pause_reason varchar,
    CONSTRAINT pk_schedule PRIMARY KEY (id),
    CONSTRAINT fk_schedule_created_by_account FOREIGN KEY (created_by) REFERENCES account(id),
    CONSTRAINT fk_schedule_experiment_id_experiment FOREIGN KEY (experiment_id) REFERENCES experiment(id)
);
CREATE INDEX ix_schedule_created_by ON schedule (created_by);
CREATE INDEX ix_schedule_experiment_id ON schedule (experiment_id);
CREATE INDEX ix_schedule_next_at ON schedule (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE schedule_occurrence (
    id uuid NOT NULL,
    schedule_id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    outcome varchar NOT NULL,
    reason varchar,
    run_id uuid,
    CONSTRAINT ck_schedule_occurrence_outcome CHECK (outcome IN ('started', 'skipped', 'missed', 'refused')),
    CONSTRAINT pk_schedule_occurrence PRIMARY KEY (id),
    CONSTRAINT uq_schedule_occurrence_schedule_id_due_at UNIQUE (schedule_id, due_at),
    CONSTRAINT fk_schedule_occurrence_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE SET NULL,
    CONSTRAINT fk_schedule_occurrence_schedule_id_schedule
        FOREIGN KEY (schedule_id) REFERENCES schedule(id) ON DELETE CASCADE
);
CREATE INDEX ix_schedule_occurrence_run_id ON schedule_occurrence (run_id);

CREATE TABLE share (
    id uuid NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz DEFAULT now() NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    token_hash varchar NOT NULL,
    label varchar,
    opened integer DEFAULT 0 NOT NULL,
    last_opened_at timestamptz,
    kind varchar DEFAULT 'report' NOT NULL,
    experiment_id uuid,
    asked jsonb,
    CONSTRAINT pk_share PRIMARY KEY (id),
    CONSTRAINT uq_share_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_share_created_by_account FOREIGN KEY (created_by) REFERENCES account(id),
    CONSTRAINT fk_share_experiment_id_experiment FOREIGN KEY (experiment_id) REFERENCES experiment(id) ON DELETE CASCADE
);
CREATE INDEX ix_share_experiment_id ON share (experiment_id);

CREATE TABLE share_copy (
    share_id uuid NOT NULL,
    taken_at timestamptz NOT NULL,
    headline varchar NOT NULL,
    digest varchar NOT NULL,
    content bytea NOT NULL,
    picture bytea,
    CONSTRAINT pk_share_copy PRIMARY KEY (share_id),
    CONSTRAINT fk_share_copy_share_id_share FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE
);

CREATE TABLE shared_run (
    share_id uuid NOT NULL,
    run_id uuid NOT NULL,
    CONSTRAINT pk_shared_run PRIMARY KEY (share_id, run_id),
    CONSTRAINT fk_shared_run_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE,
    CONSTRAINT fk_shared_run_share_id_share FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE
);
CREATE INDEX ix_shared_run_run_id ON shared_run (run_id);

CREATE TABLE trial (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    position integer NOT NULL,
    block integer NOT NULL,
    arm varchar NOT NULL,
    attempt integer NOT NULL,
    state varchar NOT NULL,
    code varchar,
    reason varchar,
    start_at_us bigint,
    dispatched_at timestamptz,
    phase_at timestamptz,
    finished_at timestamptz,
    summary jsonb,
    checks jsonb,
    CONSTRAINT ck_trial_state CHECK (state IN ('pending', 'dispatched', 'preparing', 'ready', 'warmup', 'measuring', 'finishing',
        'completed', 'failed', 'cancelled', 'lost', 'skipped')),
    CONSTRAINT pk_trial PRIMARY KEY (id),
    CONSTRAINT uq_trial_run_id_position_attempt UNIQUE (run_id, position, attempt),
    CONSTRAINT fk_trial_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE
);
CREATE INDEX ix_trial_run_id ON trial (run_id);
CREATE INDEX ix_trial_state ON trial (state);

CREATE TABLE artefact (
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    name varchar NOT NULL,
    text varchar NOT NULL,
    truncated boolean NOT NULL,
    CONSTRAINT pk_artefact PRIMARY KEY (trial_id, host_id, name),
    CONSTRAINT fk_artefact_host_id_host FOREIGN KEY (host_id) REFERENCES host(id),
    CONSTRAINT fk_artefact_trial_id_trial FOREIGN KEY (trial_id) REFERENCES trial(id) ON DELETE CASCADE
);

CREATE TABLE layout (
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    id smallint NOT NULL,
    collector varchar NOT NULL,
    series jsonb NOT NULL,
    CONSTRAINT pk_layout PRIMARY KEY (trial_id, host_id, id),
    CONSTRAINT fk_layout_host_id_host FOREIGN KEY (host_id) REFERENCES host(id),
    CONSTRAINT fk_layout_trial_id_trial FOREIGN KEY (trial_id) REFERENCES trial(id) ON DELETE CASCADE
);

CREATE TABLE note (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    trial_id uuid,
    t_s float8,
    text varchar NOT NULL,
    created_by uuid NOT NULL,
    author_name varchar,
    created_at timestamptz DEFAULT now() NOT NULL,
    edited_at timestamptz,
    CONSTRAINT ck_note_moment CHECK (t_s IS NULL OR trial_id IS NOT NULL),
    CONSTRAINT pk_note PRIMARY KEY (id),
    CONSTRAINT fk_note_created_by_account FOREIGN KEY (created_by) REFERENCES account(id),
    CONSTRAINT fk_note_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE,
    CONSTRAINT fk_note_trial_id_trial FOREIGN KEY (trial_id) REFERENCES trial(id) ON DELETE CASCADE
);
CREATE INDEX ix_note_run_id ON note (run_id);
CREATE INDEX ix_note_trial_id ON note (trial_id);

CREATE TABLE trial_event (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    t_us bigint NOT NULL,
    live_seq bigint NOT NULL,
    event jsonb NOT NULL,
    CONSTRAINT pk_trial_event PRIMARY KEY (id)
);
CREATE INDEX ix_trial_event_trial_id_host_id_id ON trial_event (trial_id, host_id, id);

CREATE TABLE trial_host (
    trial_id uuid NOT NULL,
    host_id uuid NOT NULL,
    spec jsonb NOT NULL,
    claimed_by uuid,
    phase varchar,
    outcome varchar,
    acked_seq integer NOT NULL,
    last_batch_at timestamptz,
    clock_offset_us bigint,
    endpoints jsonb NOT NULL,
    ended_streams integer NOT NULL,
    CONSTRAINT pk_trial_host PRIMARY KEY (trial_id, host_id),
    CONSTRAINT fk_trial_host_host_id_host FOREIGN KEY (host_id) REFERENCES host(id),
    CONSTRAINT fk_trial_host_trial_id_trial FOREIGN KEY (trial_id) REFERENCES trial(id) ON DELETE CASCADE
);
CREATE INDEX ix_trial_host_host_id ON trial_host (host_id);
CREATE INDEX ix_trial_host_unfinished ON trial_host (host_id) WHERE outcome IS NULL;

CREATE TABLE window_change (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    run_id uuid NOT NULL,
    trial_id uuid,
    start_s float8,
    end_s float8,
    reason varchar,
    changed_by uuid NOT NULL,
    changed_at timestamptz DEFAULT now() NOT NULL,
    changed_by_name varchar,
    CONSTRAINT ck_window_change_span CHECK ((start_s IS NULL) = (end_s IS NULL) AND start_s < end_s),
    CONSTRAINT pk_window_change PRIMARY KEY (id),
    CONSTRAINT fk_window_change_changed_by_account FOREIGN KEY (changed_by) REFERENCES account(id),
    CONSTRAINT fk_window_change_run_id_run FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE,
    CONSTRAINT fk_window_change_trial_id_trial FOREIGN KEY (trial_id) REFERENCES trial(id) ON DELETE CASCADE
);
CREATE INDEX ix_window_change_run_id ON window_change (run_id);
CREATE INDEX ix_window_change_trial_id ON window_change (trial_id);

CREATE TRIGGER audit_entry_is_not_emptied BEFORE TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
CREATE TRIGGER audit_entry_stays BEFORE DELETE OR UPDATE ON audit_entry
    FOR EACH ROW EXECUTE FUNCTION audit_entry_stays();
CREATE TRIGGER audit_tally_is_not_emptied BEFORE TRUNCATE ON audit_tally
    FOR EACH STATEMENT EXECUTE FUNCTION audit_tally_only_counts();
CREATE TRIGGER audit_tally_only_counts BEFORE DELETE OR UPDATE ON audit_tally
    FOR EACH ROW EXECUTE FUNCTION audit_tally_only_counts();
