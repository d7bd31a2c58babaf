"""`analyse audit` and `analyse corrected` on label tables in every plausible layout."""

import io
import json

import pytest

from stats.analyses.audit import audit_document
from stats.analyses.audit_text import audit_text
from stats.analyses.corrected import corrected_document
from stats.analyses.options import Options
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError

OPTIONS = Options(seed=1)
# 2E, stratified estimator: stratum -> (N_h, n_h, y_h).
GOLDEN = {"yes": (300, 50, 40), "no": (700, 50, 5)}


def table(rows, header):
    text = "\n".join([",".join(header), *(",".join(map(str, row)) for row in rows)])
    return read_labels(io.BytesIO(text.encode()))


def golden_units():
    """(subject, judge's value, expert's value or None) of the golden audit."""
    for judge, (size, sampled, successes) in GOLDEN.items():
        for at in range(size):
            expert = ("yes" if at < successes else "no") if at < sampled else None
            yield f"{judge}-{at}", judge, expert


def all_verdicts(**columns):
    """Every verdict, and the experts' labels of the sampled ones."""
    header = ("subject", "rater_kind", "rater", "value", *columns)
    rows = []
    for subject, judge, expert in golden_units():
        extra = [column(judge) for column in columns.values()]
        rows.append((subject, "judge", "m1", judge, *extra))
        if expert is not None:
            rows.append((subject, "expert", "anna", expert, *extra))
    return table(rows, header)


def sampled_only(judges=True, names=True):
    """Only the sampled subjects, with the design in the columns."""
    header = ("subject", "rater_kind", "rater", "value", "stratum", "stratum_size", "sample_size")
    rows = []
    for subject, judge, expert in golden_units():
        if expert is None:
            continue
        design = (f"judge {judge}" if names else "", GOLDEN[judge][0], GOLDEN[judge][1])
        rows.append((subject, "expert", "anna", expert, *design))
        if judges:
            rows.append((subject, "judge", "m1", judge, *design))
    return table(rows, header)


def design_on_experts_only():
    """Every verdict, the design only with the experts' labels."""
    header = ("subject", "rater_kind", "rater", "value", "stratum", "stratum_size", "sample_size")
    rows = []
    for subject, judge, expert in golden_units():
        rows.append((subject, "judge", "m1", judge, "", "", ""))
        if expert is not None:
            rows.append((subject, "expert", "anna", expert, judge, *GOLDEN[judge][:2]))
    return table(rows, header)


LAYOUTS = {
    "all verdicts, the judge's value is the stratum": all_verdicts,
    "all verdicts with a stratum column": lambda: all_verdicts(stratum=lambda judge: f"bucket {judge}"),
    "all verdicts with the whole design": lambda: all_verdicts(
        stratum=lambda judge: judge,
        stratum_size=lambda judge: GOLDEN[judge][0],
        sample_size=lambda judge: GOLDEN[judge][1],
    ),
    "only the sample, with the design": sampled_only,
    "only the sample, with sizes but without names": lambda: sampled_only(names=False),
    "the design beside the experts only": design_on_experts_only,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_golden_audit_is_corrected_to_31_percent_in_every_layout(layout):
    document = corrected_document(LAYOUTS[layout](), positive="yes", options=OPTIONS)
    corrected = document["corrected"]
    assert corrected["value"] == pytest.approx(0.31, abs=1e-12)
    assert corrected["se"] == pytest.approx(0.03287267, abs=1e-8)
    assert corrected["method"] == "bb_jeffreys"
    assert corrected["ci"][0] < 0.31 < corrected["ci"][1]
    assert document["uncorrected"]["value"] == pytest.approx(0.30, abs=1e-12)
    strata = {(row["size"], row["sampled"], row["successes"]) for row in document["strata"]}
    assert strata == {(300, 50, 40), (700, 50, 5)}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_golden_audit_is_weighted_the_same_in_every_layout(layout):
    document = audit_document(LAYOUTS[layout](), positive="yes", options=OPTIONS)
    assert (document["eligible"], document["excluded"]) == (100, 0)
    assert document["in_sample"]["recall"]["value"] == pytest.approx(40 / 45)
    weighted = document["weighted"]
    assert weighted["recall"]["value"] == pytest.approx(0.7741935, abs=5e-8)
    assert weighted["recall"]["se"] == pytest.approx(0.0730910, abs=5e-8)
    assert weighted["kappa"]["value"] == pytest.approx(0.6933962, abs=5e-8)
    assert (weighted["tp"], weighted["fn"]) == (240, 70)


def test_the_correction_needs_no_judge_rows_when_the_design_is_given():
    document = corrected_document(sampled_only(judges=False), positive="yes", options=OPTIONS)
    assert document["corrected"]["value"] == pytest.approx(0.31, abs=1e-12)
    assert document["uncorrected"]["value"] is None
    assert document["uncorrected"]["reason"] == "NO_JUDGE"


def test_re2math_table_10_comes_out_of_a_label_file():
    cells = {("yes", "yes"): 42, ("yes", "no"): 3, ("no", "no"): 111}
    rows = []
    for (judge, expert), count in cells.items():
        for at in range(count):
            subject = f"{judge}{expert}{at}"
            rows += [(subject, "judge", "m1", judge), (subject, "expert", "anna", expert)]
    labels = table(rows, ("subject", "rater_kind", "rater", "value"))
    document = audit_document(labels, positive="yes", options=OPTIONS)
    found = document["in_sample"]
    assert (found["tp"], found["fp"], found["fn"], found["tn"]) == (42, 3, 0, 111)
    assert found["kappa"]["value"] == pytest.approx(0.9522059, abs=5e-8)
    # Nothing tells how many verdicts were not audited.
    assert document["weighted"]["kappa"]["value"] is None
    assert document["weighted"]["kappa"]["reason"] == "NO_DESIGN"


MIXED = """subject,rater_kind,rater,value,state,vote
a,judge,m,yes,,1
a,judge,m,yes,,2
a,judge,m,no,,3
a,expert,anna,yes,,
b,judge,m,yes,,1
b,judge,m,no,,2
b,expert,anna,yes,,
c,judge,m,uncertain,,
c,expert,anna,no,,
d,judge,m,,abstain,
d,expert,anna,no,,
e,judge,m,no,,
e,expert,anna,,unavailable,
f,judge,m,no,,
f,expert,anna,no,,
f,expert,ben,no,,
f,expert,carl,yes,,
g,judge,m,,unavailable,
"""


def test_only_pairs_with_yes_or_no_on_both_sides_are_eligible_and_the_rest_is_counted():
    labels = read_labels(io.BytesIO(MIXED.encode()))
    document = audit_document(labels, positive="yes", options=OPTIONS)
    # a: majority yes, yes; f: no, majority no. b is tied, c uncertain, d abstained; e has no expert label.
    found = document["in_sample"]
    assert (found["tp"], found["fp"], found["fn"], found["tn"]) == (1, 0, 0, 1)
    assert (document["eligible"], document["excluded"]) == (2, 3)
    assert document["exclusions"]["judge"]["undecided"] == 1
    assert document["exclusions"]["judge"]["uncertain"] == 1
    assert document["exclusions"]["judge"]["abstain"] == 1
    assert document["exclusions"]["expert"]["unavailable"] == 1


def test_unavailable_verdicts_leave_the_denominator_and_are_bounded():
    labels = read_labels(io.BytesIO(MIXED.encode()))
    uncorrected = corrected_document(labels, positive="yes", options=OPTIONS)["uncorrected"]
    # Judged: a yes; b undecided, c uncertain, d abstained, e and f no; g is unavailable.
    assert uncorrected["value"] == pytest.approx(1 / 6)
    assert uncorrected["bounds"] == pytest.approx([1 / 7, 2 / 7])
    assert (uncorrected["n_abstain"], uncorrected["n_unavailable"]) == (1, 1)


def test_verdicts_on_outputs_of_other_tracks_are_no_part_of_the_uncorrected_share():
    """As an export has it: strata are named where experts read, and the judge said more about other runs."""
    rows = [(f"y{at}", "judge", "m", "yes", "", "s/yes", 4, 2) for at in range(2)]
    rows += [(f"n{at}", "judge", "m", "no", "", "s/no", 6, 2) for at in range(2)]
    rows += [(row[0], "expert", "x", *row[3:]) for row in rows]
    rows += [(f"u{at}", "judge", "m", "yes" if at < 2 else "no", "", "", "", "") for at in range(6)]
    rows += [(f"oracle{at}", "judge", "m", "yes", "", "", "", "") for at in range(20)]
    document = corrected_document(table(rows, WITH_DESIGN), positive="yes", options=OPTIONS)
    uncorrected = document["uncorrected"]
    assert (uncorrected["value"], uncorrected["n"], document["corrected"]["value"]) == (0.4, 10, 0.4)


@pytest.mark.parametrize(
    ("read", "which"),
    [
        (lambda at: at % 3 == 0, "weighted by the design"),
        (lambda at: True, "in sample"),  # nothing tells how many were not read
        (lambda at: at < 20, "in sample"),  # whole outputs were drawn, whose steps are alike
    ],
)
def test_the_primary_figure_is_one_that_is_there_and_whose_interval_holds(read, which):
    rows = [(f"o{at // 5}", at, "judge", "m", "yes" if at % 2 else "no") for at in range(60)]
    rows += [(*row[:2], "expert", "x", "yes" if row[1] % 4 else "no") for row in rows if read(row[1])]
    labels = table(rows, ("subject", "step", "rater_kind", "rater", "value"))
    text = audit_text(audit_document(labels, positive="yes", options=OPTIONS))
    assert f"Primary: kappa, {which}." in text


def test_unaudited_abstentions_are_known_negatives():
    rows = [
        ("a", "judge", "m", "yes", ""),
        ("a", "expert", "x", "yes", ""),
        ("b", "judge", "m", "", "abstain"),
    ]
    labels = table(rows, ("subject", "rater_kind", "rater", "value", "state"))
    document = corrected_document(labels, positive="yes", options=OPTIONS)
    assert document["corrected"]["value"] == 0.5
    assert {(row["stratum"], row["sampled"]) for row in document["strata"]} == {("yes", 1), ("abstain", 0)}


WITH_DESIGN = ("subject", "rater_kind", "rater", "value", "state", "stratum", "stratum_size", "sample_size")


def test_abstentions_among_other_verdicts_of_a_stratum_are_no_part_of_its_rate():
    """Five answers that the judge accepts, two of them right as far as experts looked, and five abstentions."""
    rows = [(f"y{at}", "judge", "m", "yes", "", "s", "", "") for at in range(5)]
    rows += [(f"a{at}", "judge", "m", "", "abstain", "s", "", "") for at in range(5)]
    rows += [(f"y{at}", "expert", "x", "yes", "", "s", "", "") for at in range(2)]
    document = corrected_document(table(rows, WITH_DESIGN), positive="yes", options=OPTIONS)
    assert document["corrected"]["value"] == 0.5
    sizes = [(row["stratum"], row["size"], row["sampled"]) for row in document["strata"]]
    assert sizes == [("s", 5, 2), ("s, judge abstained", 5, 0)]


def test_one_abstention_says_nothing_of_the_units_that_are_in_no_row():
    whole = [(f"w{at}", kind, "r", "yes", "", "t", 2, 2) for at in range(2) for kind in ("judge", "expert")]
    rows = [("a", "judge", "m", "", "abstain", "s", 100, 0), *whole]
    document = corrected_document(table(rows, WITH_DESIGN), positive="yes", options=OPTIONS)
    assert document["corrected"]["reason"] == "EMPTY_STRATUM"
    assert document["corrected"]["bounds"] == pytest.approx([2 / 102, 101 / 102])


def test_abstentions_among_the_drawn_count_as_drawn_where_the_table_has_only_those():
    """Ten of a hundred were drawn: on three the judge abstained, which nobody read, and seven are right."""
    rows = [(f"a{at}", "judge", "m", "", "abstain", "s", 100, 10) for at in range(3)]
    rows += [
        (f"y{at}", kind, "r", "yes", "", "s", 100, 10) for at in range(7) for kind in ("judge", "expert")
    ]
    document = corrected_document(table(rows, WITH_DESIGN), positive="yes", options=OPTIONS)
    assert document["corrected"]["value"] == pytest.approx(0.7)
    assert document["missing"] == 0


def test_an_unaudited_stratum_gives_bounds():
    rows = [(f"y{i}", "judge", "m", "yes") for i in range(4)] + [
        (f"n{i}", "judge", "m", "no") for i in range(6)
    ]
    rows += [(f"y{i}", "expert", "anna", "yes") for i in range(4)]
    document = corrected_document(
        table(rows, ("subject", "rater_kind", "rater", "value")), positive="yes", options=OPTIONS
    )
    assert document["corrected"]["reason"] == "EMPTY_STRATUM"
    assert document["corrected"]["bounds"] == [0.4, 1.0]


def test_a_table_without_rows_is_undefined_and_not_an_error():
    empty = table([], ("subject", "rater_kind", "rater", "value"))
    audit = audit_document(empty, positive="yes", options=OPTIONS)
    assert audit["in_sample"]["kappa"]["reason"] == "NO_ITEMS"
    corrected = corrected_document(empty, positive="yes", options=OPTIONS)
    assert corrected["corrected"]["reason"] == "NO_ITEMS"
    json.dumps([audit, corrected], allow_nan=False)


def test_clusters_give_a_statement_about_new_items_too():
    rows = []
    for at, (subject, judge, expert) in enumerate(golden_units()):
        rows.append((subject, "judge", "m", judge, f"p{at // 2}"))
        if expert is not None:
            rows.append((subject, "expert", "anna", expert, f"p{at // 2}"))
    labels = table(rows, ("subject", "rater_kind", "rater", "value", "cluster"))
    document = corrected_document(labels, positive="yes", options=OPTIONS)
    finite, new = document["corrected"], document["superpopulation"]
    assert new["value"] == pytest.approx(0.31, abs=1e-12)
    assert new["clusters"] == 500
    assert new["ci"][1] - new["ci"][0] > finite["ci"][1] - finite["ci"][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("subject,rater,value\na,m,yes\n", "rater_kind"),
        ("subject,rater_kind,rater,value\na,judge,m,Yes\n", "no label has the value 'yes'"),
        ("subject,rater_kind,rater,value\na,judge,m,yes\na,judge,m,no\n", "line 3.*second time.*line 2"),
        (
            "subject,rater_kind,rater,value,stratum,stratum_size,sample_size\n"
            "a,judge,m,yes,s,10,2\nb,judge,m,yes,s,11,2\n",
            "several sizes: 10, 11",
        ),
        (
            "subject,rater_kind,rater,value,stratum,stratum_size,sample_size\n"
            "a,expert,m,yes,s,1,1\nb,expert,m,yes,s,1,1\n",
            "2 audited units",
        ),
        ("subject,rater_kind,rater,value,cluster\na,judge,m,yes,p\na,expert,x,yes,q\n", "cluster"),
    ],
)
def test_contradicting_tables_are_refused(text, message):
    labels = read_labels(io.BytesIO(text.encode()))
    with pytest.raises(TableError, match=message):
        audit_document(labels, positive="yes", options=OPTIONS)


TWO_QUESTIONS = """question,subject,rater_kind,rater,value
Ground,a,judge,m,yes
Ground,a,expert,anna,yes
Suff,a,judge,m,yes
Suff,a,expert,anna,no
"""


def test_several_questions_are_audited_together_and_apart():
    labels = read_labels(io.BytesIO(TWO_QUESTIONS.encode()))
    document = audit_document(labels, positive="yes", options=OPTIONS)
    assert document["warnings"] == ["POOLED_QUESTIONS"]
    assert document["questions"]["Ground"]["in_sample"]["precision"]["value"] == 1
    assert document["questions"]["Suff"]["in_sample"]["precision"]["value"] == 0


def test_a_score_of_several_questions_is_refused_until_one_is_chosen():
    labels = read_labels(io.BytesIO(TWO_QUESTIONS.encode()))
    with pytest.raises(TableError, match="--question"):
        corrected_document(labels, positive="yes", options=OPTIONS)
    chosen = corrected_document(labels, positive="yes", options=Options(seed=1, question="Suff"))
    assert chosen["corrected"]["value"] == 0
    with pytest.raises(TableError, match="Ground, Suff"):
        corrected_document(labels, positive="yes", options=Options(question="Anchor"))


def test_outputs_drawn_once_and_asked_two_questions_keep_their_design_in_the_pool():
    """Both questions are about the same 50 of 300 and 50 of 700 outputs, so each question has these strata."""
    header = ("question", "subject", "rater_kind", "rater", "value", "stratum", "stratum_size", "sample_size")
    rows = []
    for question in ("ground", "suff"):
        for subject, judge, expert in golden_units():
            if expert is not None:
                design = (f"judge {judge}", GOLDEN[judge][0], GOLDEN[judge][1])
                rows.append((question, subject, "judge", "m1", judge, *design))
                rows.append((question, subject, "expert", "anna", expert, *design))
    document = audit_document(table(rows, header), positive="yes", options=OPTIONS)
    alone = document["questions"]["ground"]["weighted"]["recall"]["value"]
    assert alone == pytest.approx(0.7741935, abs=1e-7)  # 2E, weighted recall
    assert document["weighted"]["recall"]["value"] == pytest.approx(alone)  # equal questions pool to the same


def test_several_values_count_as_success_on_an_ordinal_scale():
    header = ("subject", "rater_kind", "rater", "value")
    judge = ("flawless", "minor", "major", "reject", "minor", "flawless")
    expert = ("minor", "flawless", "reject", "reject", "major", "flawless")
    rows = [(str(at), "judge", "m1", value) for at, value in enumerate(judge)]
    rows += [(str(at), "expert", "anna", value) for at, value in enumerate(expert)]
    found = audit_document(table(rows, header), positive="flawless,minor", options=OPTIONS)["in_sample"]
    # Judge: four successes; experts: three, all among them.
    assert (found["tp"], found["fp"], found["fn"], found["tn"]) == (3, 1, 0, 2)
    with pytest.raises(TableError, match="no label has the value 'mnor'"):
        audit_document(table(rows, header), positive="flawless,mnor", options=OPTIONS)


@pytest.mark.parametrize(
    ("campaigns", "advice"),
    [(("first", "second"), "; keep the rows of one campaign (first, second)"), (("first", "first"), "")],
)
def test_two_designs_of_one_subject_are_refused_with_the_campaigns_they_come_from(campaigns, advice):
    """As the export of a release has them, whose outputs two campaigns drew."""
    header = ("subject", "rater_kind", "rater", "value", "stratum_size", "sample_size", "campaign")
    rows = [("s1", "judge", "m1", "yes", "", "", "")]
    rows += [
        ("s1", "expert", f"e{size}", "yes", size, 5, name)
        for size, name in zip((40, 7), campaigns, strict=True)
    ]
    with pytest.raises(TableError) as refused:
        audit_document(table(rows, header), positive="yes", options=OPTIONS)
    said = "'7', but an earlier row says '40' about the same subject"
    assert f"{said}{advice}" in str(refused.value)
    assert ("keep the rows" in str(refused.value)) == bool(advice)
