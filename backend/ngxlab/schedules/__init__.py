"""Runs that start by themselves: once at a time, every day, or on days of the week."""
