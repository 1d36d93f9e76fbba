"""ngxlab workers: the coordinator and the host agent. Talks HTTP to the backend, Celery to Redis."""
