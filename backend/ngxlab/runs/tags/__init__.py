"""Short words on runs, by which they are found: added and removed, filtered by, suggested."""
