# ruff: noqa: S105 (names of acts, no secrets)
"""Everything that is entered in the audit log. Which operation enters what is kept by tests/audit/operations.py."""

from enum import StrEnum


class Act(StrEnum):
    """Named as ``object-done``; the words of the page are in ``frontend/src/features/audit/acts.ts``."""

    signed_in = "signed-in"
    sign_in_failed = "sign-in-failed"
    signed_out = "signed-out"
    password_changed = "password-changed"
    account_created = "account-created"
    account_changed = "account-changed"
    identity_linked = "identity-linked"
    link_permitted = "link-permitted"
    token_created = "token-created"
    token_revoked = "token-revoked"
    enrolment_token_created = "enrolment-token-created"
    host_enrolled = "host-enrolled"
    host_caps_changed = "host-caps-changed"
    host_draining_changed = "host-draining-changed"
    host_removed = "host-removed"
    experiment_created = "experiment-created"
    experiment_changed = "experiment-changed"
    config_test_started = "config-test-started"
    run_started = "run-started"
    run_paused = "run-paused"
    run_resumed = "run-resumed"
    run_cancelled = "run-cancelled"
    run_retried = "run-retried"
    trial_skipped = "trial-skipped"
    share_created = "share-created"
    share_revoked = "share-revoked"
    share_opened = "share-opened"
    settings_changed = "settings-changed"
    audit_exported = "audit-exported"
