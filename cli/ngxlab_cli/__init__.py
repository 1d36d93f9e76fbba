"""``ngxlab``: the command line for people and for continuous integration. It uses the backend's REST API only."""
