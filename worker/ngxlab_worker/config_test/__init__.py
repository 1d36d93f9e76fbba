"""Configuration tests: what the real nginx of this host says of configurations before anything starts."""
