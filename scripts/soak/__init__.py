"""``make soak``: long tests that provoke failures. ``storm`` kills processes, ``idle_connections`` holds a million."""
