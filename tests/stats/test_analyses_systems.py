"""`analyse systems`: means, majorities and unanimous outputs with their denominators; audits system by system."""

import io

import pytest

from stats.analyses.as_text import systems_text
from stats.analyses.audit import audit_document
from stats.analyses.corrected import corrected_document
from stats.analyses.options import Options
from stats.analyses.systems import systems_document
from stats.core.intervals import wilson
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError

ORDER = ("reject", "major", "minor", "flawless")
HEADER = "system,instance,subject,rater,value,state,vote,rater_kind,cluster"
# Four outputs of A: most say yes; a split; all say yes; nobody could judge. One of B, of the first problem.
ROWS = """A,1,A1,x,minor,,,,
A,1,A1,y,flawless,,,,
A,1,A1,z,reject,,,,
A,2,A2,x,minor,,,,
A,2,A2,y,reject,,,,
A,3,A3,x,flawless,,,,
A,3,A3,y,flawless,,,,
A,4,A4,x,,unavailable,,,
B,1,B1,x,major,,,,
B,1,B1,y,,abstain,,,""".splitlines()


def table(rows, header=HEADER):
    return read_labels(io.BytesIO("\n".join([header, *rows]).encode()))


def document(rows=ROWS, positive="flawless,minor", header=HEADER, order=ORDER, **options):
    return systems_document(
        table(rows, header), positive=positive, level=None, options=Options(order=order, **options)
    )


def only(rows=ROWS, **asked):
    (question,) = document(rows, **asked)["questions"].values()
    return {row["system"]: row for row in question["systems"]}


def test_majority_and_unanimous_outputs_are_counted_over_labelled_outputs():
    a, b = only()["A"], only()["B"]
    assert (a["outputs"], a["labelled"], a["unlabelled"], a["ties"]) == (4, 3, 1, 1)
    assert (a["majority"]["k"], a["majority"]["n"], a["unanimous"]["k"], a["unanimous"]["n"]) == (2, 3, 1, 3)
    assert a["majority"]["ci"] == pytest.approx(wilson(2, 3))
    # Worst case: neither the split nor the unlabelled output; best case: both.
    assert a["majority"]["bounds"] == pytest.approx([2 / 4, 4 / 4])
    assert a["unanimous"]["bounds"] == pytest.approx([1 / 4, 2 / 4])
    assert a["majority"]["warnings"] == ["SPLIT"]
    assert (b["majority"]["k"], b["majority"]["n"], b["ties"]) == (0, 1, 0)  # abstained is not a success
    assert (b["n_abstain"], a["n_unavailable"], a["raters_per_output"]) == (1, 1, [2, 3])


def test_problems_that_only_others_have_labels_for_are_counted():
    assert (only()["A"]["missing_instances"], only()["B"]["missing_instances"]) == (1, 3)
    assert only([row.replace(",1,", ",,", 1) for row in ROWS[8:9]])["B"]["missing_instances"] is None


def test_the_mean_is_over_outputs_of_the_mean_over_raters():
    # A1: (2 + 3 + 0) / 3, A2: (2 + 0) / 2, A3: 3; abstained and unavailable labels have no place on the scale.
    found = only()
    assert found["A"]["mean"]["value"] == pytest.approx((5 / 3 + 1 + 3) / 3)
    assert found["B"]["mean"]["value"] == 1
    assert only(["A,1,A1,x,red,,,,"], order=(), positive="red")["A"]["mean"]["reason"] == "LEVEL"


def test_votes_of_one_rater_are_one_answer():
    rows = ["A,1,A1,x,minor,,1,,", "A,1,A1,x,minor,,2,,", "A,1,A1,x,reject,,3,,", "A,1,A1,y,reject,,1,,"]
    found = only(rows)["A"]
    assert (found["raters_per_output"], found["ties"], found["majority"]["k"]) == ([2, 2], 1, 0)
    assert found["mean"]["value"] == pytest.approx((4 / 3 + 0) / 2)


def test_a_mean_of_one_value_has_an_interval_only_where_others_are_named():
    """Of six outputs at most a share of 1 - .025^(1/6) could have gone unseen, each as far as 5 away."""
    rows = [f"o{number},A,e1,5" for number in range(6)]
    header = "subject,system,rater,value"
    alone = only(rows, positive="", header=header, order=())["A"]["mean"]
    assert (alone["value"], alone["ci"], alone["reason"]) == (5, None, "ONE_VALUE")
    named = only(rows, positive="", header=header, order=tuple("012345"))["A"]["mean"]
    assert named["ci"] == pytest.approx([5 - 5 * (1 - 0.025 ** (1 / 6)), 5])


def test_without_a_success_set_only_the_mean_is_given():
    found = document(positive="")
    row = found["questions"][""]["systems"][0]
    assert (found["primary"], row["ties"], row["majority"]["reason"]) == ("mean", None, "NO_SUCCESS_SET")
    assert row["mean"]["value"] is not None


def test_outputs_of_one_cluster_count_together():
    rows = [
        f"A,{n},A{n},x,{'minor' if n % 24 < 12 else 'reject'},,,,{{}}" for n in range(48)
    ]  # in fours: a cluster's outputs are alike
    shared, alone = (
        only([row.format(f"c{n // 4}" if one else "") for n, row in enumerate(rows)])["A"] for one in (1, 0)
    )
    for name in ("majority", "mean"):
        assert shared[name]["value"] == alone[name]["value"] == (0.5 if name == "majority" else 1)
        wide, narrow = (row[name]["ci"][1] - row[name]["ci"][0] for row in (shared, alone))
        assert wide > 1.5 * narrow, name


def test_a_single_cluster_of_several_outputs_has_no_interval():
    found = only(["A,1,A1,x,minor,,,,c", "A,2,A2,x,reject,,,,c"])["A"]
    assert (found["majority"]["ci"], found["majority"]["reason"]) == (None, "FEW_EVENTS")


def test_kinds_of_raters_are_chosen_or_pointed_out():
    rows = ["A,1,A1,x,minor,,,expert,", "A,1,A1,m,reject,,,judge,"]
    assert document(rows)["questions"][""]["warnings"] == ["MIXED_RATER_KINDS"]
    assert only(rows, rater_kind="expert")["A"]["majority"]["k"] == 1


def test_a_table_without_systems_or_without_the_success_is_refused():
    with pytest.raises(TableError, match="column system: names no system"):
        document([",1,A1,x,minor,,,,"])
    with pytest.raises(TableError, match="no label has the value 'good'"):
        document(positive="good")


# 20 outputs of each system in each bucket, 5 audited; the judge says yes in the first bucket.
def audited(*, shared=False, sizes=True, whole=True, systems="AB"):
    header = "subject,system,rater_kind,rater,value,stratum,stratum_size,sample_size"
    rows = []
    for place, system in enumerate(systems):
        for bucket, judge in (("success", "yes"), ("rest", "no")):
            name = bucket if shared else f"{system}/{bucket}"
            design = f"{name},{20 * (len(systems) if shared else 1)},{5 * (len(systems) if shared else 1)}"
            design = design if sizes else f"{name},,"
            for n in range(20):
                subject = f"{system}-{bucket}-{n}"
                if n < 5:
                    truth = "yes" if n < (4 - place if bucket == "success" else 1) else "no"
                    rows.append(f"{subject},{system},expert,x,{truth},{design}")
                if whole or n < 5:
                    rows.append(f"{subject},{system},judge,m,{judge},{design}")
    return table(rows, header)


def figures(document):
    """What does not depend on the system's companions."""
    return document["corrected"]["value"], document["corrected"]["se"], document["uncorrected"]["value"]


@pytest.mark.parametrize("sizes", [True, False])
def test_every_system_is_corrected_as_in_a_file_of_its_own(sizes):
    split = corrected_document(audited(sizes=sizes), positive="yes", options=Options(), by="system")[
        "systems"
    ]
    assert list(split) == ["A", "B"]
    for system in "AB":
        rows = audited(sizes=sizes)
        alone = corrected_document(
            rows.select(rows["system"].is_in(system)), positive="yes", options=Options()
        )
        assert figures(split[system]) == pytest.approx(figures(alone))
        assert split[system]["corrected"]["ci"] == pytest.approx(alone["corrected"]["ci"])
    # A: 20 outputs called yes of which 4 of 5 are, 20 called no of which 1 of 5 is: (16 + 4) / 40.
    assert split["A"]["corrected"]["value"] == pytest.approx(0.5)
    assert split["B"]["corrected"]["value"] == pytest.approx((12 + 4) / 40)
    assert "POOLED_SYSTEMS" not in split["A"]["corrected"]["warnings"]


def test_a_stratum_drawn_over_systems_is_split_where_the_table_holds_all_of_it():
    """20 of each system, which the table tells; the size of the stratum, 40, is nobody's own."""
    split = corrected_document(audited(shared=True), positive="yes", options=Options(), by="system")[
        "systems"
    ]
    assert split["A"]["corrected"]["value"] == pytest.approx(0.5)
    assert split["B"]["corrected"]["value"] == pytest.approx((12 + 4) / 40)
    assert [row["size"] for row in split["A"]["strata"]] == [20, 20]


def test_a_stratum_drawn_over_systems_of_which_only_the_sample_is_known_has_no_design_by_system():
    rows = audited(shared=True, whole=False)
    corrected = corrected_document(rows, positive="yes", options=Options(), by="system")
    assert corrected["corrected"]["value"] is not None
    assert corrected["systems"]["A"]["corrected"]["reason"] == "NO_DESIGN"
    audit = audit_document(rows, positive="yes", options=Options(), by="system")["systems"]["A"]
    assert audit["weighted"]["precision"]["reason"] == "NO_DESIGN"
    assert audit["in_sample"]["precision"]["value"] == pytest.approx(4 / 5)


@pytest.mark.parametrize("shared", [True, False])
def test_every_system_is_audited_as_in_a_file_of_its_own(shared):
    rows = audited(shared=shared)
    split = audit_document(rows, positive="yes", options=Options(), by="system")["systems"]
    # A: tp 4 of 5 x 20, fp 1 of 5 x 20, fn 1 of 5 x 20: precision 16/20, recall 16/20.
    assert split["A"]["weighted"]["precision"]["value"] == pytest.approx(0.8)
    assert split["A"]["weighted"]["recall"]["value"] == pytest.approx(0.8)
    assert split["B"]["weighted"]["precision"]["value"] == pytest.approx(0.6)
    counts = [split[system]["eligible"] for system in "AB"]
    whole = audit_document(rows, positive="yes", options=Options())
    assert sum(counts) == whole["eligible"] == 20
    assert "systems" not in whole


def test_a_split_by_system_needs_systems():
    rows = "subject,rater_kind,rater,value\na,judge,m,yes\na,expert,x,yes".splitlines()
    with pytest.raises(TableError, match="names no system"):
        audit_document(table(rows[1:], rows[0]), positive="yes", options=Options(), by="system")


def test_a_bucket_of_which_one_system_alone_was_drawn_is_no_stratum_of_that_system():
    """Nothing tells that "rest" was drawn over both systems but that "success" was: its 40 units are not all of A's."""
    rows = audited(shared=True, whole=False)
    kept = rows.select(~(rows["system"].is_in("B") & rows["stratum"].is_in("rest")))
    found = corrected_document(kept, positive="yes", options=Options(), by="system")["systems"]
    assert {name: row["corrected"]["reason"] for name, row in found.items()} == {
        "A": "NO_DESIGN",
        "B": "NO_DESIGN",
    }


def test_words_without_an_order_have_no_mean_at_any_level():
    header = "system,subject,rater,value"
    rows = table(["A,A1,x,red", "A,A2,x,blue"], header)
    with pytest.raises(TableError, match="no order is known for blue, red"):
        systems_document(rows, positive="", level="ordinal", options=Options())


def test_hundreds_of_systems_are_refused_before_any_is_looked_at():
    header = "system,subject,rater,rater_kind,value"
    rows = table([f"S{n},s{n},x,{kind},yes" for n in range(201) for kind in ("expert", "judge")], header)
    with pytest.raises(TableError, match="column system: names 201"):
        systems_document(rows, positive="yes", level=None, options=Options())
    with pytest.raises(TableError, match="column system: names 201"):
        audit_document(rows, positive="yes", options=Options(), by="system")


def test_the_mean_of_numbers_is_the_same_where_their_order_is_given():
    rows = [f"A,{number},{number},x,{value},,,," for number, value in enumerate((1, 2, 5))]
    for order in ((), tuple("12345"), tuple("54321")):
        found = document(rows, positive="5", order=order)
        assert found["questions"][""]["systems"][0]["mean"]["value"] == pytest.approx(8 / 3), order


def test_labels_on_several_tracks_or_conditions_are_pooled_with_a_warning():
    """An export names them in its subjects, and has no column of their own."""
    rows = [f"A,{at},{at}/A{arm}/1,m,yes,,,judge,p{at}" for at in range(4) for arm in ("", "@raw+oracle")]
    document = systems_document(table(rows), positive="yes", level=None, options=Options())
    assert document["questions"][""]["warnings"] == ["POOLED_ARMS"]
    assert "Warnings: POOLED_ARMS." in systems_text(document)
    plain = systems_document(table(rows[::2]), positive="yes", level=None, options=Options())
    assert plain["questions"][""]["warnings"] == []
    audited = [*rows, *(f"A,{at},{at}/A/1,e,yes,,,expert,p{at}" for at in range(3))]
    corrected = corrected_document(table(audited), positive="yes", options=Options())
    assert "POOLED_ARMS" in corrected["rogan_gladen"]["warnings"]
