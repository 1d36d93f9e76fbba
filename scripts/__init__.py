"""Tools of the repository: set-up, the embedded stack, the demonstration, benchmarks, soak tests, screenshots."""
