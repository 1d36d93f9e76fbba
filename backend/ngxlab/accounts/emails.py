"""E-mail addresses, which name accounts."""

import unicodedata
from typing import Annotated

import email_validator
from pydantic import AfterValidator, Field

_MAX_LENGTH = 200

for _internal in ("localhost", "local"):  # an installation's own network has such addresses
    if _internal in email_validator.SPECIAL_USE_DOMAIN_NAMES:
        email_validator.SPECIAL_USE_DOMAIN_NAMES.remove(_internal)


def _checked(value: str) -> str:
    try:
        found = email_validator.validate_email(value.strip(), check_deliverability=False, globally_deliverable=False)
    except email_validator.EmailNotValidError as error:
        raise ValueError(f"This is no e-mail address. {error}") from error
    return found.normalized.lower()


def _as_stored(value: str) -> str:
    """An address typed at sign-in. Accounts from before addresses were checked keep what they have."""
    try:
        return _checked(value)
    except ValueError:
        if not value.strip().isprintable():
            raise
        return unicodedata.normalize("NFC", value.strip()).lower()


Email = Annotated[str, Field(max_length=_MAX_LENGTH), AfterValidator(_checked)]
"""Of a new account: a sound address, in the one spelling in which it is stored."""
TypedEmail = Annotated[str, Field(max_length=_MAX_LENGTH), AfterValidator(_as_stored)]
