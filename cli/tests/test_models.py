"""An older command line reads the answers of a newer server."""

from uuid import uuid4

from ngxlab_cli.models import HostSummary


def test_unknown_fields_and_new_values_are_accepted() -> None:
    answer = {
        "id": str(uuid4()),
        "name": "web-1",
        "state": "a state of a later version",
        "state_detail": "",
        "heartbeat_age_s": 1.5,
        "cpu_logical": 2,
        "memory_bytes": 1,
        "nginx": [],
        "wrk_version": None,
        "a_field_of_a_later_version": [1, 2],
    }
    assert HostSummary.model_validate(answer).name == "web-1"
