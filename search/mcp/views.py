"""MCP over HTTP, at /mcp."""

from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from rest_framework.exceptions import APIException
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import TokenScope
from accounts.rest.auth import AccessTokenAuthentication

INSTALL = "MCP is not installed here: pip install -r requirements-mcp.txt -c constraints.txt"
MAX_BODY = 256 * 1024  # bytes: a formula of 20,000 characters, each escaped


class NotInstalled(APIException):
    status_code, default_detail, default_code = 501, INSTALL, "not_installed"


class TooLarge(APIException):
    status_code, default_code = 413, "too_large"
    default_detail = f"A message of MCP has at most {MAX_BODY // 1024} kB."


@method_decorator(never_cache, name="dispatch")
class McpView(APIView):
    """Search for programs. A token says who asks; cookies say nothing here, so no other site can use a browser's."""

    authentication_classes = [AccessTokenAuthentication]
    permission_classes: list[type[BasePermission]] = [AllowAny]
    token_scope = TokenScope.READ
    schema = None  # it is no REST

    def post(self, request: Request) -> HttpResponse:
        """Answer one message. A GET would wait for messages from the site, and there are none: it is refused."""
        if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BODY:
            raise TooLarge
        try:
            from search.mcp.http import answer  # the library takes half a second to import, and is optional
        except ModuleNotFoundError as error:
            raise NotInstalled from error
        return answer(request._request)
