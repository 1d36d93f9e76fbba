"""Why a sign-in at the provider led to none here."""

from enum import StrEnum


class OidcProblem(StrEnum):
    """Told to the sign-in page, whose words are in ``frontend/src/features/auth/LoginPage.tsx``."""

    provider_down = "provider-down"
    """It does not answer, or not as OpenID Connect Discovery says."""
    provider_error = "provider-error"
    """It refuses this installation: an unknown client, a wrong secret, another redirect address."""
    refused = "refused"
    """The person refused their consent, or the provider refused the person."""
    expired = "expired"
    """Begun too long ago, or in another browser, or a second time with the same answer."""
    bad_token = "bad-token"  # noqa: S105 (a name, no secret)
    """The provider's answer is not one to this sign-in: signature, issuer, audience, nonce or time are wrong."""
    no_email = "no-email"
    """No e-mail address, or one that the provider has not verified."""
    domain = "domain"
    """The address is of none of the domains that may sign in."""
    account_exists = "account-exists"
    """The address has an account that this identity may not take over."""
    disabled = "disabled"


class OidcRefused(Exception):
    """``reason``: for the log; it never has a secret, and nobody but operators reads it."""

    def __init__(self, problem: OidcProblem, reason: str) -> None:
        super().__init__(reason)
        self.problem = problem
        self.reason = reason
