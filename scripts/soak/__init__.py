"""``make soak``: long tests that provoke failures. ``storm`` kills processes, ``idle_connections`` holds a million.

``make outage``: ``outage`` takes one service away for as long as one likes.
"""
