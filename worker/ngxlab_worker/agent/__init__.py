"""The agent of a host: takes trials, says that the host lives, and clears up what a trial left behind."""
