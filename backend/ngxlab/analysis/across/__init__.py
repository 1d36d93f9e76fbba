"""Arms of several runs compared with each other: what may be said across runs."""
