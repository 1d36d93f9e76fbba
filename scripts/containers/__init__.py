"""``make containers``: docker-compose.yml brought up for real, and what must hold of it then."""
