"""How work is done: again and again, with others' at once, beside the event loop."""
