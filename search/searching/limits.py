"""How often anybody may search: by address for strangers, by person for members."""

from typing import Any

from rest_framework.throttling import SimpleRateThrottle

TOO_MANY = "You have searched very often. Wait a minute, then try again."


class _Limit(SimpleRateThrottle):
    """A rate of a stranger's address, or of a member where `of_members` is set."""

    of_members = False

    def get_cache_key(self, request: Any, view: Any) -> str | None:
        member = request.user.is_authenticated
        if member != self.of_members:
            return None
        ident = str(request.user.pk) if member else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


class StrangersInAMinute(_Limit):
    scope, rate = "search-minute", "30/min"


class StrangersInADay(_Limit):
    scope, rate = "search-day", "1000/day"


class Members(_Limit):
    scope, rate, of_members = "search-member", "120/min", True


class FeedbackOfMembers(_Limit):
    scope, rate, of_members = "search-feedback", "10/min", True


SEARCHES = [StrangersInAMinute, StrangersInADay, Members]


def too_many(request: Any) -> bool:
    """Whether a request to a page comes too soon, by the limits of REST."""
    return not all(allows(limit, request) for limit in SEARCHES)


def allows(limit: type[SimpleRateThrottle], request: Any, view: Any = None) -> bool:
    """Whether the limit lets this request of a page pass, which then counts."""
    return limit().allow_request(request, view)
