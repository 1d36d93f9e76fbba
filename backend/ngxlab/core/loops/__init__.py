"""What the backend does by the clock, and how it learns that there is something to do."""
