"""The figures of one trial, each group from the raw record in a module of its own."""
