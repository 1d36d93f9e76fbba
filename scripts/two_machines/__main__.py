"""``make two-machines``."""

import os
import sys
import tempfile
from pathlib import Path

from scripts.console import Failure, main_guard, require
from scripts.testbed.netns import why_unavailable
from scripts.two_machines.walk import walk


def main() -> int:
    """Walk once, from nothing. Takes some minutes, the first time longer."""
    if why := why_unavailable():
        raise Failure(why, "run it as root on a machine, or in a virtual machine, that is yours")
    require("debootstrap", "iptables")
    os.environ.pop("MAKEFLAGS", None)
    with tempfile.TemporaryDirectory(prefix="ngxlab-walk-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)  # the server's user reads what is offered
        walk(Path(folder))
    return 0


sys.exit(main_guard(main))
