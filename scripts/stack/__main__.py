"""Command line of the stack."""

import argparse
import sys
from pathlib import Path

from scripts.console import main_guard
from scripts.stack import commands, settings


def main() -> int:
    """Parse and dispatch. Exit code 0: success, or healthy; 1: not healthy, or failed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.stack", description=__doc__)
    orders = parser.add_subparsers(dest="order", required=True)
    orders.add_parser("up", help="start everything, or repair it")
    orders.add_parser("down", help="stop everything; data stay")
    orders.add_parser("status", help="what runs, where, and whether it is healthy")
    orders.add_parser("access", help="address and token of what runs here, for the command line, as JSON")
    orders.add_parser("admin", help="make another administrator").add_argument("email")
    backup = orders.add_parser("backup", help="write the database to a file")
    backup.add_argument("--prove", action="store_true", help="and restore it into a database of its own")
    backup.add_argument("file", type=Path)
    restored = orders.add_parser("restore", help="replace the database by a backup")
    restored.add_argument("--replace", action="store_true")
    restored.add_argument("--resume", action="store_true", help="it is the real installation, and no rehearsal")
    restored.add_argument("file", type=Path)
    orders.add_parser("resume", help="say that a restored backup is the real installation")
    log = orders.add_parser("logs", help="last lines of the logs")
    log.add_argument("-f", "--follow", action="store_true")
    log.add_argument("service", nargs="?")
    options = parser.parse_args()
    loaded = settings.load()
    match options.order:
        case "admin":
            return commands.admin(loaded, options.email)
        case "backup":
            return commands.back_up(loaded, options.file, prove=options.prove)
        case "restore":
            return commands.restore(loaded, options.file, replace=options.replace, resume=options.resume)
        case "logs":
            return commands.logs(loaded, follow=options.follow, service=options.service)
    plain = {
        "access": commands.access,
        "up": commands.up,
        "down": commands.down,
        "status": commands.status,
        "resume": commands.resume,
    }
    return plain[options.order](loaded)


sys.exit(main_guard(main))
