"""Tools of the repository itself: set-up, the embedded stack, the demonstration."""
