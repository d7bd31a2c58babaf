"""A header that tells the replies of the next version from those of this one."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

HEADER = "Touchstone-Version"


def say_version(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response[HEADER] = "next"
        return response

    return answer
