"""How often passwords may be tried, so that guessing is slow and nobody can lock somebody else out.

After OWASP's "Slow Down Online Guessing Attacks with Device Cookies": a browser from which the person has signed in
before has a budget of its own, which no stranger can use up. Everybody else shares the budgets of the address they come
from and of the account they try. These lock out strangers, and the owner only on a device that is new to the account.
"""

from dataclasses import dataclass

from ngxlab.accounts.client import Client
from ngxlab.core.throttle import Budget, Taken, Throttle

_BY_DEVICE = 10
_BY_SESSION = 10
_BY_ACCOUNT_AND_ADDRESS = 10
_BY_ADDRESS = 50
"""People behind one address translation share it."""
_BY_ACCOUNT = 100
"""From all devices that it does not know: ten times what one address may try of it, so that only many can use it up."""

_REFUSAL = "Too many wrong passwords."


@dataclass(frozen=True)
class Attempt:
    """A password about to be checked. Whoever succeeds starts afresh with the ``own`` budgets."""

    taken: Taken
    own: tuple[Budget, ...]

    async def succeeded(self) -> None:
        await self.taken.succeeded(forgotten=self.own)


async def count_sign_in(throttle: Throttle, email: str, client: Client, known_device: str | None) -> Attempt:
    """Before the password of a sign-in is checked. ``known_device``: its cookie's hash, if the account knows it.

    Raises TooManyRequests.
    """
    if known_device is not None:
        own = Budget("device", f"{known_device} {email}", _BY_DEVICE)
        return Attempt(await throttle.take(own, refusal=_REFUSAL), (own,))
    own = Budget("account-address", f"{client.site} {email}", _BY_ACCOUNT_AND_ADDRESS)
    address = Budget("address", client.site, _BY_ADDRESS)
    account = Budget("account", email, _BY_ACCOUNT)
    return Attempt(await throttle.take(own, address, account, refusal=_REFUSAL), (own,))


async def count_in_session(throttle: Throttle, session_hash: str) -> Attempt:
    """Before somebody who is signed in has their password checked again. Raises TooManyRequests."""
    own = Budget("session", session_hash, _BY_SESSION)
    return Attempt(await throttle.take(own, refusal=_REFUSAL), (own,))
