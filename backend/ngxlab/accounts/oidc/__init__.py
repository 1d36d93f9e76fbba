"""Sign-in by OpenID Connect: the authorization code flow with PKCE, at one provider that the settings name."""
