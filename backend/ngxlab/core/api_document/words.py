"""What the API's document says of parameters that occur in many operations, and examples of bodies."""

from typing import Any

PARAMETERS = {
    "path account_id": "An account's id.",
    "path after": "The number of the later version.",
    "path before": "The number of the earlier version.",
    "path channel_id": "The id of one of your channels.",
    "path experiment_id": "An experiment's id.",
    "path holder": "The coordinator that holds the lease, by an id of its own making.",
    "path host_id": "A host's id.",
    "path key": "A template's key, such as `reuseport`.",
    "path name": "The file's name, which says its format.",
    "path note_id": "A note's id.",
    "path number": "A version's number, from 1.",
    "path run_id": "A run's id.",
    "path schedule_id": "A schedule's id.",
    "path session_id": "A session's id.",
    "path sha256": "The SHA-256 of the bundle, as the line for a new host names it.",
    "path share_id": "The id of a shared link.",
    "path test_id": "The id of a configuration test.",
    "path token": "The secret part of a shared link.",
    "path token_id": "An API token's id.",
    "path trial_id": "A trial's id.",
    "header last-event-id": "The position of the last event that was received: the stream goes on after it.",
    "query act": "Only this act; may be repeated for several.",
    "query actor": "Only acts of people, tokens and hosts whose name has this in it.",
    "query archived": "List archived experiments instead of the others.",
    "query before": "Only entries older than the one with this id: the next page.",
    "query beyond": "The revision that the agent knows.",
    "query code": "What the provider's answer is exchanged for.",
    "query end_links": "Delete it although links to its report work, which then end.",
    "query error": "Why the provider refused.",
    "query experiment_id": "Only of this experiment; for several, repeat it where the operation takes a list.",
    "query format": "`csv` or `json`.",
    "query iss": "The provider's issuer, where it says it (RFC 9207).",
    "query keys": "Only these series of the catalogue; may be repeated.",
    "query limit": "The most items of an answer.",
    "query name": "The name of the new experiment; without it, the document's own.",
    "query next": "The page of ngxlab to return to.",
    "query object": "Only acts on things whose name has this in it.",
    "query offset": "How many items to leave out at the beginning.",
    "query points": "The most points of a line.",
    "query run_id": "The run that a trial belongs to; it is looked up if it is not given.",
    "query search": "Only experiments with this in their name.",
    "query since": "Only from this time on.",
    "query state": "What the sign-in began with.",
    "query until": "Up to when: a time, or of a trial the state that is waited for.",
    "query wait_s": "How many seconds to wait for a change before answering.",
}
"""By place and name; an operation's own description goes before."""

_HOST = "8d5ac5a4-6e4f-4b3b-9a3e-0f4f3a1e9d10"
EXAMPLES: dict[str, dict[str, Any]] = {
    "create_experiment": {
        "name": "Socket sharding", "template_key": "reuseport", "parameters": {"blocks": 5, "measure_s": 10},
    },
    "add_note": {"text": "A backup ran on this host: **do not trust the tail**."},
    "start_run": {"host_id": _HOST, "note": "after the kernel update"},
    "create_schedule": {
        "timing": {"repeats": "weekly", "weekdays": ["mon", "thu"], "time": "02:00", "zone": "Europe/Berlin"},
        "run": {"host_id": _HOST},
        "most_runs": 10,
    },
    "create_channel": {"kind": "webhook", "url": "https://ci.example.org/hooks/ngxlab", "runs": True, "hosts": False},
    "create_token": {"name": "CI", "scope": "operate", "expires_in_days": 90},
    "create_share": {"expires_in_days": 30},
    "choose_window": {"start_s": 2, "end_s": 8, "reason": "a backup began"},
    "create_account": {"email": "ada@example.org", "role": "experimenter"},
    "create_enrolment_token": {"expires_in_minutes": 30},
}  # fmt: skip
"""Of request bodies, by the operation's id."""
