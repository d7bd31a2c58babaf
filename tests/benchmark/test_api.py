"""REST endpoints of releases, systems and outputs."""

import pytest

from accounts.models import AuditEvent
from benchmark.models import Instance
from benchmark.releases.integrity import release_sha256
from tests.factories import InstanceFactory, OutputFactory, ReleaseFactory

pytestmark = pytest.mark.django_db
LISTS = ["/api/v1/releases/", "/api/v1/systems/", "/api/v1/outputs/"]


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.fixture
def output():
    return OutputFactory(run__system__slug="aurora", run__release__name="small", text="Clear.")


def details(output) -> list[str]:
    return [
        "/api/v1/releases/small/",
        "/api/v1/releases/small/instances/",
        "/api/v1/systems/aurora/",
        f"/api/v1/outputs/{output.pk}/",
    ]


def test_reviewers_and_strangers_get_nothing(client, algebraist, stranger, output):
    for user in (None, algebraist, stranger):
        client.logout()
        if user:
            client.force_login(user)
        for address in [*LISTS, *details(output)]:
            reply = client.get(address)
            assert reply.status_code in (401, 403)
            assert b"aurora" not in reply.content


def test_those_who_run_the_study_read_every_endpoint(carl, output):
    for address in [*LISTS, *details(output)]:
        assert carl.get(address).status_code == 200, address


def test_nothing_can_be_written(carl, output):
    for address in [*LISTS, *details(output)]:
        for method in (carl.post, carl.put, carl.patch, carl.delete):
            assert method(address, {}, content_type="application/json").status_code == 405


def test_a_release_has_its_hash_and_counts(carl, output):
    shown = carl.get("/api/v1/releases/small/").json()
    assert (shown["protocol"], shown["instance_count"], shown["run_count"]) == ("proofs", 1, 1)
    assert shown["sha256"] == output.run.release.sha256


def test_an_output_comes_with_its_text_but_a_list_without(carl, output):
    assert carl.get(f"/api/v1/outputs/{output.pk}/").json()["text"] == "Clear."
    (row,) = carl.get("/api/v1/outputs/").json()["results"]
    assert "text" not in row
    assert (row["system"], row["release"], row["instance"]) == ("aurora", "small", output.instance.key)


def test_outputs_are_filtered_by_listed_fields(carl, output):
    other = OutputFactory(state="abstained", text="")
    for name, value in [("system", "aurora"), ("state", "answered"), ("instance", output.instance.key)]:
        rows = carl.get("/api/v1/outputs/", {name: value}).json()["results"]
        assert [row["id"] for row in rows] == [output.pk]
    rows = carl.get("/api/v1/outputs/", {"release": other.run.release.name}).json()["results"]
    assert [row["id"] for row in rows] == [other.pk]


@pytest.mark.parametrize(
    "parameter",
    ["sistem", "run__system__slug", "ordering", "search", "instance__key__startswith", "state__in"],
)
def test_a_parameter_that_is_not_listed_is_refused(carl, output, parameter):
    reply = carl.get("/api/v1/outputs/", {parameter: "a"})
    assert reply.status_code == 400
    assert "unknown parameter" in reply.json()["problems"][parameter]


@pytest.mark.parametrize("address", ["me", "published", "published/proofs"])
def test_an_address_without_parameters_refuses_one(carl, address):
    assert carl.get(f"/api/v1/{address}/").status_code == 200
    reply = carl.get(f"/api/v1/{address}/", {"protocol": "lemmas"})
    assert reply.status_code == 400
    assert "this address takes none" in reply.json()["problems"]["protocol"]


def test_a_nul_character_in_a_filter_is_refused(carl, output):
    assert carl.get("/api/v1/outputs/", {"system": "a\0"}).status_code == 400


def test_instances_of_one_release_only_by_domain(carl):
    release = ReleaseFactory(name="small")
    InstanceFactory(release=release, key="a", domain="algebra")
    InstanceFactory(release=release, key="b", domain="analysis")
    InstanceFactory(key="c")
    address = "/api/v1/releases/small/instances/"
    assert [row["key"] for row in carl.get(address).json()["results"]] == ["a", "b"]
    (row,) = carl.get(address, {"domain": "analysis"}).json()["results"]
    assert row["payload"] == Instance.objects.get(key="b").payload
    assert carl.get("/api/v1/releases/nonesuch/instances/").status_code == 404


def test_pages_follow_each_other_without_repeats(carl):
    release = ReleaseFactory(name="small")
    for number in range(5):
        InstanceFactory(release=release, key=f"k{number}")
    address, seen = "/api/v1/releases/small/instances/?page_size=2", []
    while address:
        page = carl.get(address).json()
        seen += [row["key"] for row in page["results"]]
        address = page["next"]
    assert seen == ["k0", "k1", "k2", "k3", "k4"]


@pytest.mark.parametrize("rows", [1, 5])
def test_lists_take_the_same_queries_whatever_their_size(carl, django_assert_num_queries, rows):
    for _ in range(rows):
        OutputFactory()
    for address in LISTS:
        with django_assert_num_queries(3):  # session, user with roles, the page
            carl.get(address)


def frozen_at(carl) -> str | None:
    return carl.get("/api/v1/releases/small/").json()["frozen_at"]


@pytest.fixture
def sound(output):
    """The release with the hash of its content, as an import leaves it."""
    release = output.run.release
    release.sha256 = release_sha256(release)
    release.save(update_fields=["sha256"])
    return release


def test_a_release_is_frozen_once_however_often_it_is_asked(carl, sound):
    first = carl.post("/api/v1/releases/small/freeze/")
    again = carl.post("/api/v1/releases/small/freeze/")
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["frozen_at"] == again.json()["frozen_at"] is not None
    assert AuditEvent.objects.filter(verb="freeze_release", actor__email="carl@study.test").count() == 1


def test_a_release_whose_content_changed_is_not_frozen(carl, output):
    reply = carl.post("/api/v1/releases/small/freeze/")
    assert (reply.status_code, reply.json()["code"]) == (409, "content_differs")
    assert frozen_at(carl) is None


@pytest.mark.parametrize(("person", "status"), [(None, 401), ("algebraist", 403), ("stranger", 403)])
def test_nobody_but_staff_freezes_a_release(client, sound, person, status, request):
    if person:
        client.force_login(request.getfixturevalue(person))
    assert client.post("/api/v1/releases/small/freeze/").status_code == status
    sound.refresh_from_db()
    assert sound.frozen_at is None
