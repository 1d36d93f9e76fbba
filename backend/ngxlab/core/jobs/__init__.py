"""Work outside of requests: rows of PostgreSQL that Celery workers are told of."""
