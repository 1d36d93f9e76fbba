"""What stops a hostile configuration that the allow-list would have let pass."""

from enum import StrEnum


class Stop(StrEnum):
    AGENT = "the agent, which knows no such placeholder"
    NGINX = "nginx refuses it"
    MODULE = "this nginx has no such directive"
    VIEW = "the sandbox's view of files and the network"
    PERMISSIONS = "file permissions"
    CAPS = "the owner's caps"
    NOTHING = "nothing: it runs, and reaches nothing"
    LIST = "nothing but the allow-list"
