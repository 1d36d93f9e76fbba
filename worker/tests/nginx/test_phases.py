"""The log of the parts of a request's time: what its lines mean."""

import pytest
from ngxlab_worker.nginx.access_log import LogError, parse_phases


def phases(line: str) -> dict[str, int]:
    found = parse_phases(f"{line}\n".encode())
    return {name: int(ms[0]) for name, ms in found.phases.items()}


def test_phases_of_a_passed_on_request_add_up() -> None:
    found = phases("1763709000.250 0.250 0.005 1 0.262 0.002 0.042 0.142 200")
    assert found == {"open": 12, "read": 5, "connect": 2, "first_byte": 40, "body": 100, "write": 103}
    assert sum(found.values()) == 262


def test_a_connection_is_opened_for_its_first_request_only() -> None:
    assert phases("1763709000.250 0.250 0.000 7 9.262 - - - 200") == {
        "open": 0, "read": 0, "connect": 0, "first_byte": 0, "body": 0, "write": 250,
    }  # fmt: skip


def test_an_older_nginx_tells_nothing_of_opening() -> None:
    assert "open" not in phases("1763709000.250 0.250 0.000 1 - - - - 200")


def test_of_several_upstream_servers_each_counts() -> None:
    """The first did not let itself be connected to, the second did not answer, the third did."""
    found = phases(
        "1763709000.250 0.100 0.000 2 1.000 -, 0.001, 0.002 : 0.003 -, -, 0.010 : 0.004 0.020, 0.030, 0.012 : 0.004 200"
    )
    assert found == {"open": 0, "read": 0, "connect": 20 + 1 + 2 + 3, "first_byte": 29 + 8 + 1, "body": 2, "write": 34}


def test_clocks_that_are_one_off_cancel_out() -> None:
    assert phases("1763709000.250 0.020 0.000 2 1.000 0.000 0.021 0.021 200")["write"] == -1


def test_what_never_was_read_whole_took_its_time_in_reading() -> None:
    assert phases("1763709000.250 0.500 0.500 1 0.500 - - - 408")["read"] == 500


def test_an_upstream_server_that_was_not_found_takes_no_time() -> None:
    """As nginx logs an answer of 502 that is passed on to a name that leads nowhere."""
    found = phases("1763709000.250 0.100 0.000 1 0.100 0.000 : - 0.004 :  0.010 :  502")
    assert (found["connect"], found["first_byte"], found["body"], found["write"]) == (0, 4, 6, 90)


def test_a_line_that_is_none_is_an_error_of_the_log() -> None:
    with pytest.raises(LogError):
        phases("1.000 1, 2")
