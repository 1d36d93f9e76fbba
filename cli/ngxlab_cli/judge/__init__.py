"""``ngxlab judge``: the server's statistical procedure for numbers that were measured elsewhere. Works offline."""
