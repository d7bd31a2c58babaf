"""What search stores about one person."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from accounts.models import User
from search.models import Feedback, Query


def personal_rows(user: User) -> Mapping[str, QuerySet[Any]]:
    """Their searches of the last 30 days, and what they said about results."""
    return {
        "said_of_search_results": Feedback.objects.filter(user=user).order_by("pk"),
        "searches": Query.objects.filter(user=user).order_by("pk"),
    }
