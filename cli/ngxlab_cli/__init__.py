"""``ngxlab`` for people and continuous integration: a client of the backend's REST API, and of nothing else."""
