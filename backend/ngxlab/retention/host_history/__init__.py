"""What was measured on a host: how much there is, and its deletion in the background."""
