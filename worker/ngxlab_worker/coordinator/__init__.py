"""The coordinator: drives runs, trial by trial."""
