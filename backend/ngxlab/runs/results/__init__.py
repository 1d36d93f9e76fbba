"""Summaries of trials and verdicts of runs: computed from raw data, and kept."""
