"""Where the CPU time of a run's arms goes, and what differs between two of them (docs/profiles.md)."""
