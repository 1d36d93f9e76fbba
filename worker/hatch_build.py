"""What hatchling adds to the wheel: the load engines' programs, compiled for this machine. Needs gcc, libssl-dev and,
for HTTP/2, libnghttp2-dev."""

import os
import platform
import re
import subprocess
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITHOUT_PROGRAMS = "NGXLAB_WHEEL_WITHOUT_ENGINES"
"""Set in the environment: a wheel for every platform, whose programs come beside it (``scripts/agent_bundle``)."""
PROGRAMS = ("ngxlab-openloop", "ngxlab-hold", "ngxlab-respond")


class WorkerHook(BuildHookInterface):  # type: ignore[type-arg]
    """An editable install has none: ``make setup`` compiles them into the environment (``scripts/setup/native.py``)."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or WITHOUT_PROGRAMS in os.environ:
            return
        self._folder = TemporaryDirectory(prefix="ngxlab-native-")  # until the wheel is written
        built = Path(self._folder.name)
        subprocess.run(["make", "--silent", "-C", str(Path(self.root) / "native"), f"OUT={built}"], check=True)
        build_data["shared_scripts"].update({str(built / name): name for name in PROGRAMS})
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag([built / name for name in PROGRAMS])}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable" and WITHOUT_PROGRAMS not in os.environ:
            self._folder.cleanup()


def platform_tag(programs: list[Path]) -> str:
    """The oldest platform that runs ``programs``: the newest version of glibc that one of them needs (PEP 600)."""
    machine = platform.machine()
    if platform.libc_ver()[0] != "glibc":
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    needed = b"".join(program.read_bytes() for program in programs)
    minor = max(int(found) for found in re.findall(rb"GLIBC_2\.(\d+)\0", needed))
    return f"manylinux_2_{minor}_{machine}"
