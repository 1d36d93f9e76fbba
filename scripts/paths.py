"""Where things are in a checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
LOCKS = ROOT / "locks"
FRONTEND = ROOT / "frontend"
