"""The OpenAPI document: complete, valid, and for those who run the study only."""

from io import StringIO

import pytest
import yaml
from django.core.management import call_command
from django.urls import URLPattern, URLResolver

from config import api_urls

# Corpora that are open to anyone are searched without signing in.
OPEN = ("/api/v1/search/", "/api/v1/corpora/")
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document() -> dict:
    out = StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=out)
    return yaml.safe_load(out.getvalue())


def routes(patterns: list, prefix: str = "/api/v1/") -> list[str]:
    found: list[str] = []
    for entry in patterns:
        if isinstance(entry, URLResolver):
            found += routes(entry.url_patterns, prefix + str(entry.pattern))
        elif isinstance(entry, URLPattern):
            found.append(prefix + str(entry.pattern))
    return found


def test_every_address_of_the_interface_is_described(document):
    assert len(document["paths"]) == len(set(routes(api_urls.urlpatterns)))


def test_every_operation_names_its_refusals_and_how_to_sign_in(document):
    assert set(document["components"]["securitySchemes"]) == {"accessToken", "cookieAuth"}
    for path, operations in document["paths"].items():
        for method in METHODS & set(operations):
            operation = operations[method]
            assert {"400", "401", "403"} <= set(operation["responses"]), (method, path)
            security = [{"accessToken": []}, {"cookieAuth": []}]
            if path.startswith(OPEN) and "feedback" not in path:
                security.append({})
            assert operation["security"] == security, (method, path)
            if "{" in path:
                assert "404" in operation["responses"], (method, path)


@pytest.mark.slow
@pytest.mark.django_db
def test_the_document_is_not_for_reviewers(client, algebraist, coordinator):
    assert client.get("/api/schema/").status_code in (401, 403)
    client.force_login(algebraist)
    assert client.get("/api/schema/").status_code == 403
    client.force_login(coordinator)
    assert client.get("/api/schema/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["releases/", "systems/", "outputs/", "campaigns/", "judges/", "judge-runs/", "tokens/"]
)
@pytest.mark.parametrize(
    "parameter", ["ordering", "search", "pk__in", "output__run__system__slug__startswith"]
)
def test_no_list_understands_a_parameter_that_it_does_not_name(client, coordinator, address, parameter):
    client.force_login(coordinator)
    assert client.get(f"/api/v1/{address}").status_code == 200
    assert client.get(f"/api/v1/{address}", {parameter: "a"}).status_code == 400
