"""Windows that somebody chose after the run, or might choose."""
