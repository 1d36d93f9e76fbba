"""Checks of the source that no linter offers, run by ``make check``. Standard library only."""
