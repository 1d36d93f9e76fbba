"""What people write beside a run, one of its trials, or a moment of one: added, read, edited, deleted."""
