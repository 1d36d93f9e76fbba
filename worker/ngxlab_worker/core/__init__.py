"""What any part of the worker may use: settings, logs, clocks, programs, kernel files. It imports none of them."""
