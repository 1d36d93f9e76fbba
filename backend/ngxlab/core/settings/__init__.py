"""Parts of the settings: sign-in at a provider, and notifications. ``core.config`` has the whole."""
