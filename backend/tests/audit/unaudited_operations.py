"""Each operation that enters nothing in the audit log though it is no reading, and why."""

_TELLS = "sends a test to its own caller"
_COMPUTES = "computes an answer and changes nothing"
_DRIVES = "a step of a run, whose start, steering and cancelling by people are entered"
_MEASURES = "measured data of a trial, which the run keeps"

NOT_AUDITED = {
    "send_test": _TELLS,
    "preview_template": _COMPUTES,
    "preview_definition": _COMPUTES,
    "convert_configurations": _COMPUTES,
    "pair_experiments": _COMPUTES,
    "fit_template": _COMPUTES,
    "get_plan_power": _COMPUTES,
    "get_power_of_new_plan": _COMPUTES,
    "note_editor": "who edits is kept in Redis for half a minute; what they save is entered",
    "begin_passkey": "asks for a passkey, whose addition is entered",
    "begin_confirmation": _COMPUTES,
    "confirm": "a passkey that was shown; one that is refused is entered, and so is what it is shown for",
    "choose_language": "how pages speak to their own reader",
    "check_enrolment": "looks at a token and changes nothing",
    "take_lease": _DRIVES,
    "release_lease": _DRIVES,
    "get_next_step": _DRIVES,
    "start_trial": _DRIVES,
    "claim_trial": _DRIVES,
    "refuse_trial": _DRIVES,
    "pulse": "a sign of life of a coordinator",
    "post_batch": _MEASURES,
    "post_config_test": "the answer to a configuration test, whose start is entered",
}
