"""What the hosts must have, in addition to the room that every run is checked for."""

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.idle_connections.quantities import most_connections
from ngxlab.templates.needs import AnotherHost, Cores, Descriptors, Memory, Need

_BYTES_BOTH_ENDS = 10_000
_OTHERS = 1 << 30


def needs(values: dict[str, LevelValue]) -> list[Need]:
    all_needs: list[Need] = [
        Descriptors(
            count=int(values["descriptors"]),
            why="It determines the number of workers.",
            remedy="Enter the host's own limit (nofile_hard) in the form, or raise LimitNOFILE of its agent's service.",
        ),
        Memory(
            size_bytes=most_connections(values) * _BYTES_BOTH_ENDS + _OTHERS,
            why="Both ends of a connection take about 8 KB of the kernel's memory, nginx's entry half a KB.",
            remedy="Hold fewer connections, or let another host hold their other ends.",
        ),
        Cores(
            count=2,
            why="nginx and the generator work at the same time while connections are opened.",
            remedy="Expect connecting to take longer: warm up longer.",
            must=False,
        ),
    ]
    if int(values["generators"]) > 1:
        all_needs.append(
            AnotherHost(
                slot="generator",
                why="Only then does the target's memory contain just one end of each connection.",
                remedy="Let other hosts play the generators.",
                must=False,
            )
        )
    return all_needs
