"""Query parameters of the REST interface come from lists."""

import pytest
from django.test import Client

from accounts.models import User


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    ["item__output__run__system__slug=gpt", "ordering=item__output__run__system", "search=gpt", "page=1"],
)
def test_the_queue_takes_no_parameter_so_none_can_be_an_oracle(
    client: Client, algebraist: User, query: str
) -> None:
    client.force_login(algebraist)
    answer = client.get(f"/api/v1/queue/?{query}")
    assert (answer.status_code, answer.json()["field"]) == (400, query.split("=")[0])
