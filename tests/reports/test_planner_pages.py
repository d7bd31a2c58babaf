"""The planner's pages: golden numbers of STATISTICS.md 3 vi, shareable addresses, errors that say where."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db
PAGES = ("plan-strata", "plan-agreement", "plan-comparison", "plan-proportion")
TABLE = "name,size,guess,judge\nsuccess,45,{},yes\ngrounded,300,{},no\nunsupported,1055,{},no"


@pytest.fixture
def anybody(client, stranger):
    client.force_login(stranger)
    return client


def strata_plan(client, *guesses, **asked):
    reply = client.get(reverse("plan-strata"), {"strata": TABLE.format(*guesses), "total": 175} | asked)
    assert reply.status_code == 200
    return reply.context["plan"]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_with_a_worked_example(anybody, page, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):  # session, user, roles
        reply = anybody.get(reverse(page))
    assert reply.status_code == 200
    assert reply.context["plan"]


@pytest.mark.parametrize("page", PAGES)
def test_the_planner_is_for_people_who_are_signed_in(client, page):
    assert client.get(reverse(page)).status_code == 302


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guesses", "neyman", "errors", "totals"),
    [
        (
            ("93 %", "2 %", "0.5 %"),
            [16, 57, 102],
            ["0.737", "0.705", "0.637"],
            {0.5: "610.0", 1: "251.3", 2: "75.0"},
        ),
        (
            ("0.93", "0.05", "0.02"),
            [9, 51, 115],
            ["1.410", "1.163", "1.130"],
            {0.5: "996.4", 1: "567.4", 2: "208.4"},
        ),
    ],
)
def test_the_golden_plans_of_re2math_are_on_the_page(anybody, guesses, neyman, errors, totals):
    plan = strata_plan(anybody, *guesses)
    rows = {row["key"]: row for row in plan["allocations"]}
    assert rows["neyman"]["sampled"] == neyman
    assert rows["published"]["sampled"] == [45, 70, 60]
    assert [rows[key]["se"] for key in ("published", "proportional", "neyman")] == errors
    found = {
        wanted: strata_plan(anybody, *guesses, half_width=wanted)["wanted"]["exact"] for wanted in totals
    }
    assert found == totals


def test_both_numbers_of_an_audit_are_shown_before_the_draw(anybody):
    """A census of the successes knows their precision; 130 negatives say little about 1,355."""
    rows = {row["key"]: row for row in strata_plan(anybody, 0.93, 0.02, 0.005)["allocations"]}
    assert rows["published"]["precision"] == "0.00"
    assert float(rows["published"]["missed"]) > 1.3 * float(rows["neyman"]["missed"])


def test_zero_errors_are_put_into_words(anybody):
    stratum = strata_plan(anybody, 0.93, 0.02, 0.005)["strata"][2]
    published = [cell for cell in stratum["cells"] if cell["sampled"] == 60]
    # 2B.3: 60 clean audits of 1,055 leave up to 49 possible
    assert "Up to 49 (4.6 %) could be missed successes" in published[0]["words"]


def test_a_column_of_own_numbers_is_compared_too(anybody):
    table = "name\tsize\tguess\tsample\nyes\t50\t0.9\t20\nno\t500\t0.02\t80"
    reply = anybody.get(reverse("plan-strata"), {"strata": table, "total": 100})
    own = reply.context["plan"]["allocations"][-1]
    assert (own["name"], own["sampled"]) == ("Your own", [20, 80])


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ("name,size,guess\na,many,0.5", "line 2, column size"),
        ("name,size,guess\na,5,1.5", "line 2, column guess"),
        ("name,size,guess,hours\na,5,0.5,-1", "line 2, column hours"),
        ("name,size,guess,judge\na,5,0.5,perhaps", "line 2, column judge"),
        ("name,size,guess,sample\na,5,0.5,6", "line 2, column sample"),
        ("name,size,guess,sample\na,5,0.5,2\nb,5,0.5,", "line 3, column sample"),
        ("name,size,guess\na,5,0.5\na,6,0.5", "line 3, column name"),
        ("name,size\na,5", "lacks the column guess"),
        ("name,size,guess\na,0,0.5", "column size"),
        ("name,size,guess\n,4,0.5", "line 2, column name"),
        ("name,size,guess,colour\na,4,0.5,red", "unknown column"),
        ("name,size,guess\n" + "\n".join(f"s{n},9,0.5" for n in range(201)), "1 to 200"),
        ("name,size,guess\na,99999999999999999999,0.5", "line 2, column size"),
    ],
)
def test_a_broken_table_is_refused_with_line_and_column(anybody, table, place):
    reply = anybody.get(reverse("plan-strata"), {"strata": table, "total": 5})
    assert reply.status_code == 400
    assert place.lower() in reply.context["form"].errors["strata"][0].lower()


def test_a_comma_in_a_number_is_refused_and_no_browser_drops_it(anybody):
    """A number input of a browser in English makes 35 of a typed 3,5."""
    page = anybody.get(reverse("plan-comparison")).content.decode()
    assert '<input type="text" name="p2" value="3.5" inputmode="decimal"' in page
    asked = {"p1": 7, "p2": "3,5", "discordance": 10.5, "power": 80}
    page = anybody.get(reverse("plan-comparison"), asked).content.decode()
    assert "Write a number with a decimal point, for example 0.15." in page


def test_a_total_that_does_not_fit_is_explained(anybody):
    reply = anybody.get(reverse("plan-strata"), {"strata": TABLE.format(0.9, 0.1, 0.1), "total": 5000})
    assert reply.status_code == 400
    assert "5000 audits do not fit" in reply.content.decode()


@pytest.mark.slow
def test_agreement_comparison_and_proportion_show_the_golden_numbers(anybody):
    comparison = anybody.get(reverse("plan-comparison")).context["plan"]
    # psi .105, d .035, power .8 -> 670.4; independent .07 vs .035: 636.3 per arm
    assert [row["exact"] for row in comparison["rows"]][::2] == ["670.40", "636.26"]
    proportion = anybody.get(reverse("plan-proportion")).context["plan"]
    assert [row["exact"] for row in proportion["rows"]] == ["625.20", "432.41", "633.00"]
    assert [row["items"] for row in proportion["rows"]] == [626, 433, 633]
    agreement = anybody.get(reverse("plan-agreement")).context["plan"]
    assert agreement["kappa"] == "0.686"  # (40.5, 9.5, 6.5, 45.5) of 102: po .8431, pe .5008
    assert agreement["wanted"]["items"] > 150


@pytest.mark.parametrize(("p1", "p2", "differ"), [(80, 10, 70), (10, 80, 70), (55, 25, 30), (7, 3.5, 3.5)])
def test_one_system_may_solve_everything_that_the_other_solves(anybody, p1, p2, differ):
    """0.8 - 0.1 is not 0.7 to a computer."""
    asked = {"p1": p1, "p2": p2, "discordance": differ, "power": 80}
    plan = anybody.get(reverse("plan-comparison"), asked).context["plan"]
    assert plan["rows"][1]["items"] == plan["rows"][3]["items"] > 1
    shares = {key: asked[key] / 100 for key in ("p1", "p2", "discordance")}
    sent = anybody.post(reverse("api-plan-comparison"), shares, "application/json")
    assert sent.json()["paired_exact"] == plan["rows"][1]["items"]


def test_a_discordance_that_cannot_be_is_explained(anybody):
    reply = anybody.get(reverse("plan-comparison"), {"p1": 7, "p2": 3.5, "discordance": 30, "power": 80})
    assert reply.status_code == 400
    assert "differ on at most 0.105" in reply.content.decode()


def test_markup_in_a_name_is_shown_as_text(anybody):
    table = "name,size,guess\n<script>alert(1)</script>,50,0.5"
    reply = anybody.get(reverse("plan-strata"), {"strata": table, "total": 20})
    assert "<script>alert" not in reply.content.decode()


def test_an_unknown_parameter_is_refused(anybody):
    assert anybody.get(reverse("plan-proportion"), {"wish": 1}).status_code == 400


def test_a_pilot_of_clusters_of_unequal_size_says_in_which_one_an_item_is(anybody):
    asked = {"p1": 7, "p2": 3.5, "discordance": 10.5, "power": 80}

    def shown(pilot: str) -> str:
        return anybody.get(reverse("plan-comparison"), asked | {"pilot": pilot}).content.decode()

    assert "Clusters of 4.0 items on average (an average item is in one of 7.0), with" in shown(
        "10, 4, 0\n2, 0, 1\n2, 1, 0\n2, 0, 0"
    )
    assert "Clusters of 2.0 items on average, with correlation 1.00" in shown("2, 2, 0\n2, 0, 2\n2, 0, 0")
