"""``/metrics``: the product itself, as Prometheus reads it."""
