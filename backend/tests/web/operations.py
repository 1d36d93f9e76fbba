"""Who may call each operation, decided here once more, by hand: a new operation must be entered to pass the tests."""

import re
from typing import Any

import httpx2

_NOWHERE = "00000000-0000-0000-0000-000000000000"
_BY_NAME = {"number": "1", "before": "1", "after": "1", "key": "none", "token": "none", "name": "report.md"}


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.replace("|", "\n").splitlines() if name.strip())


ANYONE = _names(
    """
    POST /auth/login | GET /auth/methods | GET /auth/oidc/start | GET /auth/oidc/callback
    POST /agent/enrol | POST /agent/enrol/check | GET /schemas/experiment.json
    GET /agent/join.sh | GET /agent/bundles/{sha256}.tar.gz
    GET /shared/{token} | GET /shared/{token}/trials/{trial_id}/series | GET /shared/{token}/trials/{trial_id}/artefacts
    GET /shared/{token}/exports/{name} | GET /shared/{token}/comparison | GET /shared/{token}/trends
    GET /shared/{token}/picture.png | GET /shared/{token}/trials/{trial_id}/latency-maps
    GET /shared/{token}/phases
    GET /shared/{token}/profiles | GET /shared/{token}/profiles/{arm_key}
    GET /shared/{token}/profiles/{arm_key}/difference
    """
)
VIEWER = _names(
    """
    POST /auth/logout | GET /auth/me | POST /auth/password | GET /auth/tokens | POST /auth/tokens
    DELETE /auth/tokens/{token_id} | GET /auth/sessions | DELETE /auth/sessions | DELETE /auth/sessions/{session_id}
    DELETE /auth/tokens | PUT /auth/language
    GET /auth/passkeys | POST /auth/passkeys | POST /auth/passkeys/registration
    DELETE /auth/passkeys/{passkey_id} | POST /auth/passkeys/confirmation | PUT /auth/passkeys/confirmation
    GET /recipes | GET /recipes/{key}
    GET /templates | GET /templates/{key} | POST /templates/{key}/preview | POST /templates/{key}/fit
    GET /experiments | GET /experiments/{experiment_id} | POST /experiments/preview
    GET /experiments/config-tests/{test_id} | GET /experiments/{experiment_id}/versions
    GET /experiments/{experiment_id}/versions/{number} | GET /experiments/{experiment_id}/versions/{number}.yaml
    GET /experiments/{experiment_id}/versions/{before}/diff/{after}
    GET /runs | GET /runs/by-experiment | GET /runs/choices
    GET /runs/{run_id} | GET /runs/{run_id}/live | GET /runs/{run_id}/report
    GET /runs/{run_id}/exports/{name}
    GET /runs/{run_id}/profiles | GET /runs/{run_id}/profiles/{arm_key} | GET /runs/{run_id}/profiles/{arm_key}/folded
    GET /runs/{run_id}/profiles/{arm_key}/pprof
    GET /runs/{run_id}/profiles/{arm_key}/difference | GET /runs/{run_id}/phases
    GET /trials/{trial_id}/series | GET /trials/{trial_id}/artefacts | GET /metrics/catalogue
    GET /trials/{trial_id}/latency-maps | GET /trials/{trial_id}/moment
    GET /hosts | GET /hosts/{host_id} | GET /hosts/{host_id}/calibrations | GET /openapi.json
    POST /experiments/{experiment_id}/power | POST /experiments/power | GET /compare
    GET /experiments/{experiment_id}/trends
    GET /schedules | GET /runs/{run_id}/notes | GET /teams
    """
)
EXPERIMENTER = _names(
    """
    POST /experiments | POST /experiments/import | POST /experiments/config-tests | POST /experiments/conversion
    POST /experiments/pairing
    PATCH /experiments/{experiment_id}
    POST /experiments/{experiment_id}/editors | PUT /experiments/{experiment_id}/definition
    POST /experiments/{experiment_id}/clone
    POST /experiments/{experiment_id}/runs | POST /experiments/{experiment_id}/calibrations
    POST /runs/{run_id}/cancel | POST /runs/{run_id}/pause | POST /runs/{run_id}/resume | POST /runs/{run_id}/retry
    POST /runs/{run_id}/finish | POST /runs/{run_id}/blocks | POST /runs/{run_id}/profile | POST /runs/import
    GET /runs/{run_id}/profile
    DELETE /experiments/{experiment_id}
    DELETE /runs/{run_id} | PUT /runs/{run_id}/star | DELETE /runs/{run_id}/star | PATCH /runs/{run_id}/tags
    POST /runs/{run_id}/notes | PATCH /notes/{note_id} | DELETE /notes/{note_id}
    POST /trials/{trial_id}/skip
    PUT /runs/{run_id}/window | DELETE /runs/{run_id}/window
    PUT /trials/{trial_id}/window | DELETE /trials/{trial_id}/window
    GET /runs/{run_id}/shares | POST /runs/{run_id}/shares | DELETE /shares/{share_id}
    POST /shares/{share_id}/refresh | GET /compare/shares | POST /compare/shares
    GET /experiments/{experiment_id}/trends/shares | POST /experiments/{experiment_id}/trends/shares
    POST /experiments/{experiment_id}/schedules | PATCH /schedules/{schedule_id} | DELETE /schedules/{schedule_id}
    GET /notifications | POST /notifications/channels | PATCH /notifications/channels/{channel_id}
    DELETE /notifications/channels/{channel_id} | POST /notifications/channels/{channel_id}/test
    """
)
ADMINISTRATOR = _names(
    """
    DELETE /rehearsal | GET /shares | PUT /hosts/{host_id}/team | POST /teams | PATCH /teams/{team_id}
    DELETE /teams/{team_id}
    GET /storage | GET /audit | GET /audit/export | GET /accounts/identities | PUT /accounts/{account_id}/link-permit
    GET /accounts | POST /accounts | GET /accounts/{account_id} | PATCH /accounts/{account_id}
    POST /accounts/{account_id}/one-time-password
    GET /accounts/{account_id}/sessions | DELETE /accounts/{account_id}/sessions
    DELETE /accounts/{account_id}/sessions/{session_id}
    GET /accounts/{account_id}/tokens | DELETE /accounts/{account_id}/tokens
    DELETE /accounts/{account_id}/tokens/{token_id}
    GET /accounts/{account_id}/passkeys | DELETE /accounts/{account_id}/passkeys
    POST /hosts/enrolment-tokens | POST /hosts/{host_id}/drain | DELETE /hosts/{host_id}
    POST /hosts/{host_id}/renew-credential | GET /hosts/joining
    GET /hosts/{host_id}/history | DELETE /hosts/{host_id}/history
    """
)
HOST = _names(
    """
    POST /agent/heartbeat | GET /agent/config-tests/{test_id} | POST /agent/config-tests/{test_id}
    POST /agent/trials/{trial_id}/claim | POST /agent/trials/{trial_id}/batches | GET /agent/trials/{trial_id}/control
    POST /agent/trials/{trial_id}/refuse | GET /agent/host | DELETE /agent/host
    """
)
COORDINATOR = _names(
    """
    POST /coordinator/runs/{run_id}/lease | DELETE /coordinator/runs/{run_id}/lease/{holder}
    POST /coordinator/runs/{run_id}/next | POST /coordinator/trials/{trial_id}/start
    GET /coordinator/trials/{trial_id} | POST /coordinator/pulse
    """
)
_TABLE = {
    "anyone": ANYONE, "viewer": VIEWER, "experimenter": EXPERIMENTER, "administrator": ADMINISTRATOR,
    "host": HOST, "coordinator": COORDINATOR,
}  # fmt: skip
CALLERS = {name: caller for caller, names in _TABLE.items() for name in names}
"""``METHOD /path`` below /api/v1 -> the caller that it is for."""

IN_PERSON = _names(
    """
    POST /auth/logout | POST /auth/password | POST /auth/tokens | DELETE /auth/tokens | DELETE /auth/tokens/{token_id}
    GET /auth/sessions | DELETE /auth/sessions | DELETE /auth/sessions/{session_id} | PUT /auth/language
    GET /auth/passkeys | POST /auth/passkeys | POST /auth/passkeys/registration
    DELETE /auth/passkeys/{passkey_id} | POST /auth/passkeys/confirmation | PUT /auth/passkeys/confirmation
    POST /accounts | PATCH /accounts/{account_id} | POST /accounts/{account_id}/one-time-password
    GET /accounts/{account_id}/sessions | DELETE /accounts/{account_id}/sessions
    DELETE /accounts/{account_id}/sessions/{session_id}
    GET /accounts/{account_id}/tokens | DELETE /accounts/{account_id}/tokens
    DELETE /accounts/{account_id}/tokens/{token_id}
    GET /accounts/{account_id}/passkeys | DELETE /accounts/{account_id}/passkeys
    GET /accounts/identities | PUT /accounts/{account_id}/link-permit | DELETE /rehearsal
    GET /notifications | POST /notifications/channels | PATCH /notifications/channels/{channel_id}
    DELETE /notifications/channels/{channel_id} | POST /notifications/channels/{channel_id}/test
    POST /teams | PATCH /teams/{team_id} | DELETE /teams/{team_id}
    """
)
"""What no API token may do, since it decides over accounts, or would go on after the token's end."""

CONFIRMED = _names(
    """
    POST /auth/tokens | POST /auth/passkeys | POST /auth/passkeys/registration | DELETE /auth/passkeys/{passkey_id}
    POST /accounts | PATCH /accounts/{account_id} | POST /accounts/{account_id}/one-time-password
    PUT /accounts/{account_id}/link-permit | DELETE /accounts/{account_id}/passkeys | DELETE /rehearsal
    POST /hosts/enrolment-tokens | POST /hosts/{host_id}/renew-credential
    POST /runs/{run_id}/shares | POST /compare/shares | POST /experiments/{experiment_id}/trends/shares
    POST /shares/{share_id}/refresh | POST /teams | PATCH /teams/{team_id} | DELETE /teams/{team_id}
    PUT /hosts/{host_id}/team
    """
)
"""What makes a way in, or shows what is inside to whoever has a link: in a session it needs the person's passkey."""

OF_THEIR_OWNER = {
    "PATCH /experiments/{experiment_id}": {"name": "mine now"},
    "PUT /experiments/{experiment_id}/definition": {"base_version": 1, "definition": {}},
    "DELETE /experiments/{experiment_id}": {},
    "POST /runs/{run_id}/cancel": {}, "POST /runs/{run_id}/pause": {}, "POST /runs/{run_id}/resume": {},
    "POST /runs/{run_id}/finish": {}, "POST /runs/{run_id}/blocks": {"blocks": 9}, "DELETE /runs/{run_id}": {},
    "PATCH /runs/{run_id}/tags": {"add": ["mine"]},
    "POST /runs/{run_id}/retry": {}, "POST /trials/{trial_id}/skip": {},
    "GET /runs/{run_id}/shares": {}, "POST /runs/{run_id}/shares": {}, "DELETE /shares/{share_id}": {},
    "PATCH /notes/{note_id}": {"text": "mine now"}, "DELETE /notes/{note_id}": {},
    "POST /shares/{share_id}/refresh": {},
    "GET /experiments/{experiment_id}/trends/shares": {}, "POST /experiments/{experiment_id}/trends/shares": {},
    "PATCH /schedules/{schedule_id}": {"paused": True}, "DELETE /schedules/{schedule_id}": {},
}  # fmt: skip
"""What only the owner of the thing may do, or an administrator; with a sound body."""

OF_NO_TEAM = frozenset({
    "account_id", "after", "arm_key", "before", "channel_id", "host_id", "key", "name", "note_id", "number",
    "passkey_id", "schedule_id",
    "session_id", "share_id", "team_id", "test_id", "token_id",
})  # fmt: skip
"""Parts of paths that lead to what is everybody's, or its owner's alone, or stand behind one that says whose it is."""


def call(client: httpx2.Client, name: str, ids: dict[str, str] | None = None) -> httpx2.Response:
    """With a sound body where this is known. ``ids``: for parts of the path; others lead nowhere."""
    method, _, path = name.partition(" ")
    given = _BY_NAME | (ids or {})
    path = re.sub(r"\{([^}]*)\}", lambda match: given.get(match[1], _NOWHERE), path)
    content: dict[str, Any] = {} if method in {"GET", "DELETE"} else {"json": OF_THEIR_OWNER.get(name, {})}
    return client.request(method, path, **content)
