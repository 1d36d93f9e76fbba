"""What the thread-pools template needs of its target."""

from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.needs import AnotherHost, Feature, LessMemory, Need, NginxOption

_ALWAYS: tuple[Need, ...] = (
    NginxOption(
        option="--with-threads",
        why="`aio threads` passes reads to threads of nginx.",
        remedy="Install Debian's nginx, or register one that was built with threads.",
    ),
    Feature(
        capability="process-io",
        title="bytes that each process reads from the disk",
        why="They show whether files came from the disk or from memory.",
        remedy="See what the host says; without it, only the disks' own counters tell.",
        must=False,
    ),
    Feature(
        capability="psi",
        title="pressure stall information",
        why="It shows how long tasks waited for the disk.",
        remedy="Boot a kernel with CONFIG_PSI and psi=1.",
        must=False,
    ),
    AnotherHost(
        slot="generator",
        why="Generators beside nginx compete for its CPUs. The effect shows anyway, because the disk is the limit.",
        remedy="Choose another host for the slot generator.",
        must=False,
    ),
)


def needs(values: dict[str, LevelValue]) -> list[Need]:
    all_needs = list(_ALWAYS)
    if values["cold"] == "throttle":
        all_needs.append(
            Feature(
                capability="throttled-disk",
                title="a loop device that can be slowed down",
                why="The files are stored on it, so that reading them is slow on any machine.",
                remedy="Let the agent run as root, or choose to drop files from the page cache instead.",
            )
        )
    if values["cold"] == "no":
        all_needs.append(
            LessMemory(
                size_bytes=int(values["files"]) * int(values["file_kib"]) * 1024,
                why="If all files fit into memory, they are read from there, and no read blocks.",
                remedy="Ask for more or larger files, or have them dropped from the page cache.",
            )
        )
    return all_needs
