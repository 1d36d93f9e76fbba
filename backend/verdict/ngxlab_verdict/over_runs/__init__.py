"""Means of several runs over time."""
