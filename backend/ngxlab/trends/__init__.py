"""Trends of an experiment: its primary metrics by arm, over its runs."""
