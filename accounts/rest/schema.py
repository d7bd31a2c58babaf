"""What the OpenAPI document says about all endpoints: how to sign in, and how refusals look."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

TOKENS = (
    "Made on the profile page or by POST /api/v1/tokens/ with your password, and shown once. The scope says what it "
    "may do: `read` only reads, `grade` also does a reviewer's own work, `manage` does everything you may do. It stops "
    "working on its expiry date, when it is revoked, when your password changes and when you lose a role."
)
REFUSAL = {"$ref": "#/components/schemas/RefusalOut"}
ALWAYS = {
    "400": "A parameter or field is unknown, missing or malformed.",
    "401": "Nobody is signed in, or the access token is not valid.",
    "403": "The person may not do this, or the CSRF token is missing.",
}
WITH_A_NAME = {"404": "It does not exist, or the person may not see it."}


class AccessTokenScheme(OpenApiAuthenticationExtension):
    """Registers itself with drf-spectacular when this module is imported."""

    target_class = "accounts.rest.auth.AccessTokenAuthentication"
    name = "accessToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": TOKENS}


def add_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A post-processing hook: every operation names the refusals that may meet any caller."""
    for path, operations in result["paths"].items():
        expected = ALWAYS | WITH_A_NAME if "{" in path else ALWAYS
        for operation in operations.values():
            for status, words in expected.items():
                answer = {"description": words, "content": {"application/json": {"schema": REFUSAL}}}
                operation["responses"].setdefault(status, answer)
    return result
