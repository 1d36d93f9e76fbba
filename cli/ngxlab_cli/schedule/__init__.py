"""``ngxlab schedule``: experiments that run by themselves."""
