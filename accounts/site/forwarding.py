"""Does TOUCHSTONE_TRUSTED_PROXIES fit the requests that arrive? Recorded when people sign in, reported by `check
--deploy`.

Limits on sign-in count by network address. With too small a number everybody behind the proxy has one address; with too
large a number django-allauth refuses to guess, and nobody signs in.
"""

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

_KEPT = 7 * 24 * 3600
_KEY = "forwarding-seen"


def note_forwarding(request: HttpRequest) -> None:
    """Remember the fewest addresses that `X-Forwarded-For` has had in a week; a client can add some, never remove."""
    header = request.headers.get("X-Forwarded-For", "")
    addresses = len([word for word in header.split(",") if word.strip()])
    seen = cache.get(_KEY)
    if seen is None or addresses < seen:
        cache.set(_KEY, addresses, _KEPT)


def forwarding_fault() -> str:
    """What is wrong with the number of trusted proxies, as far as requests have shown; empty if nothing is."""
    seen, trusted = cache.get(_KEY), settings.ALLAUTH_TRUSTED_PROXY_COUNT
    if seen is None or seen == trusted:
        return ""
    consequence = (
        "everybody behind the proxy shares the limits of one address"
        if seen > trusted
        else "addresses can be forged, or nobody can sign in"
    )
    return (
        f"TOUCHSTONE_TRUSTED_PROXIES is {trusted}, but requests to sign in came with {seen} or more forwarded "
        f"addresses: {consequence}"
    )
