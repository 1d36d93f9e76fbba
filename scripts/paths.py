"""Folders of the checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
LOCKS = ROOT / "locks"
FRONTEND = ROOT / "frontend"
