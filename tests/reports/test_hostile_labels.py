"""Label files that nobody should be able to import: each is refused with its line and field, and nothing is stored."""

import json
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.urls import reverse

from accounts.models import User
from accounts.refusal import Refused
from annotation.models import Adjudication, Answer, Campaign, Comment
from benchmark.models import ImportState, Release, System
from judging.models import Judge, StepVerdict, Verdict
from reports.labels.exporting import csv_lines
from reports.labels.faults import LabelRow
from reports.labels.filters import label_filter
from reports.labels.importing import import_labels
from reports.labels.repeating import contradiction
from reports.labels.rows import label_rows
from stats.tables.labels import COLUMNS
from tests.reports.test_judged_steps import JUDGE, lemmas, loaded, rows
from tests.reports.test_referee_reports import apply, archive, client, send

__all__ = ["client", "lemmas"]
pytestmark = pytest.mark.django_db
Row = dict[str, object]
PROOF = "sample-proof-01/aurora/1"
PAIR = "sample-proof-01/aurora|basalt/1"
EXPERT: Row = {
    "campaign": "read", "question": "correctness", "subject": PROOF, "rater": "ann", "rater_kind": "expert",
    "value": "correct", "rubric_version": "proofs-v1",
}  # fmt: skip
VERDICT: Row = {
    "question": "correct", "subject": PROOF, "rater": "gpt", "rater_kind": "judge", "vote": "1", "value": "yes",
    "judge_version": "gpt-v1",
}  # fmt: skip
CHOICE: Row = EXPERT | {
    "question": "preference", "subject": PAIR, "order": "1", "value": "first", "rubric_version": "proofs-pairs-v1",
}  # fmt: skip
JUDGED: Row = VERDICT | {"question": "prefer", "subject": PAIR, "order": "1", "value": "first"}
DECISION: Row = EXPERT | {"rater": "zoe", "rater_kind": "adjudicator"}
PREDICATE, CORRECTNESS = "yes, no, uncertain", "correct, inconclusive, incorrect"
ALREADY = "the same label is already in line 2"
POINTS = "0, 1, 2, 3, 4, 5"


def told(line: int, field: str, words: str) -> str:
    return f"line {line}, field {field}: {words}"


def points(value: object) -> Row:
    return EXPERT | {"question": "logic", "value": value}


def at(moment: str) -> Row:
    return EXPERT | {"created_at": moment}


def again(row: Row, **changes: object) -> list[Row]:
    return [row, row | changes]


OFF_THE_SCALE = {
    "a judge says maybe": (
        [VERDICT | {"value": "Maybe"}],
        told(2, "value", f"'Maybe' is not one of {PREDICATE}"),
    ),
    "a judge shouts": ([VERDICT | {"value": "YES "}], told(2, "value", f"'YES' is not one of {PREDICATE}")),
    "a judge gives points": ([VERDICT | {"value": 7}], told(2, "value", f"'7' is not one of {PREDICATE}")),
    "a judge says true": ([VERDICT | {"value": True}], told(2, "value", f"'true' is not one of {PREDICATE}")),
    "a judge says nan": ([VERDICT | {"value": "nan"}], told(2, "value", f"'nan' is not one of {PREDICATE}")),
    "a judge says what experts do": (
        [VERDICT | {"value": "correct"}],
        told(2, "value", f"'correct' is not one of {PREDICATE}"),
    ),
    "a judge's draw about one proof": ([VERDICT | {"value": "tie"}], told(2, "value", "'tie' is not one of")),
    "a judge cannot say both bad": (
        [JUDGED | {"value": "both_bad"}],
        told(2, "value", "'both_bad' is not one of first, second, tie"),
    ),
    "an expert shouts": (
        [EXPERT | {"value": "Correct"}],
        told(2, "value", f"correctness: 'Correct' is not one of {CORRECTNESS}"),
    ),
    "an expert's draw about one proof": (
        [EXPERT | {"value": "tie"}],
        told(2, "value", f"correctness: 'tie' is not one of {CORRECTNESS}"),
    ),
    "seven of five": ([points(7)], told(2, "value", f"logic: '7' is not one of {POINTS}")),
    "minus one": ([points(-1)], told(2, "value", f"logic: '-1' is not one of {POINTS}")),
    "half a point": ([points(2.5)], told(2, "value", f"logic: '2.5' is not one of {POINTS}")),
    "nan points": ([points("NaN")], told(2, "value", "logic: 'NaN' is not a number")),
    "infinite points": ([points("inf")], told(2, "value", "logic: 'inf' is not a number")),
    "true points": ([points(True)], told(2, "value", "logic: 'true' is not a number")),
    "a share above one": (
        [EXPERT | {"question": "answer_accuracy", "value": 1.25}],
        told(2, "value", "answer_accuracy: '1.25' is not one of 0, 0.25, 0.5, 0.75, 1"),
    ),
    "a step that is fine": (
        [EXPERT | {"question": "steps", "step": "b1", "value": "fine", "rubric_version": "proofs-steps-v1"}],
        told(2, "value", "steps: 'fine' is not one of correct, incorrect, not_assessed"),
    ),
    "a step of the whole": (
        [EXPERT | {"step": "b1"}],
        told(2, "step", "correctness is about the whole text, not about a step"),
    ),
    "a question about steps without a step": (
        [EXPERT | {"question": "steps", "value": "correct", "rubric_version": "proofs-steps-v1"}],
        told(2, "step", "steps is about steps, and the label names none"),
    ),
    "a choice of neither side": (
        [CHOICE | {"value": "aurora"}],
        told(2, "value", "preference: 'aurora' is not one of"),
    ),
    "a decision off the scale": (
        [EXPERT, DECISION | {"value": "Correct"}],
        told(3, "value", f"correctness: 'Correct' is not one of {CORRECTNESS}"),
    ),
    "a confidence that only Python reads": (
        [EXPERT | {"confidence": "0_1"}],
        told(2, "confidence", "'0_1' is not a number from 0 to 1"),
    ),
    "a confidence of nan": (
        [VERDICT | {"confidence": "nan"}],
        told(2, "confidence", "'nan' is not a number from 0 to 1"),
    ),
    "a confidence of true": (
        [VERDICT | {"confidence": True}],
        told(2, "confidence", "'true' is not a number from 0 to 1"),
    ),
    "a good row before a bad one": (
        [EXPERT, VERDICT, VERDICT | {"vote": "2", "value": "Maybe"}],
        told(4, "value", "'Maybe' is not one of"),
    ),
    "vote none": ([VERDICT | {"vote": "0"}], told(2, "vote", "'0' is not from 1 to 32,767")),
    "more votes than a column holds": (
        [VERDICT | {"vote": "40000"}],
        told(2, "vote", "'40000' is not from 1 to 32,767"),
    ),
}
CONTRADICTIONS = {
    "a judge says yes and no": (
        again(VERDICT, value="no"),
        told(3, "value", f"{ALREADY} and says 'yes'; here it says 'no'"),
    ),
    "a judge says yes and nothing": (
        again(VERDICT, value="", state="abstain"),
        told(3, "value", f"{ALREADY} and says 'yes'; here it says 'abstain'"),
    ),
    "the first vote, numbered and not": (
        again(VERDICT | {"vote": ""}, vote="1", value="no"),
        told(3, "value", ALREADY),
    ),
    "the usual order, told and not": (again(VERDICT, order="1", value="no"), told(3, "value", ALREADY)),
    "another order of one proof": (
        [VERDICT | {"order": "2"}],
        told(2, "order", "only a pair is shown in two orders"),
    ),
    "a judge's row in two campaigns": (
        again(VERDICT | {"campaign": "a"}, campaign="b", value="no"),
        told(3, "value", ALREADY),
    ),
    "a judge's other reason": (
        again(VERDICT | {"comment": "Lemma 2."}, comment="Lemma 3."),
        told(3, "comment", ".*says 'Lemma 2.'; here it says 'Lemma 3.'"),
    ),
    "a judge's other choice": (
        again(JUDGED, value="tie"),
        told(3, "value", ".*says 'first'; here it says 'tie'"),
    ),
    "an expert says correct and incorrect": (
        again(EXPERT, value="incorrect"),
        told(3, "value", f"{ALREADY} and says 'correct'; here it says 'incorrect'"),
    ),
    "an expert's campaign, named and usual": (
        again(EXPERT | {"campaign": ""}, campaign="imported", value="incorrect"),
        told(3, "value", ALREADY),
    ),
    "an expert numbers the answers": (
        again(EXPERT, vote="2", value="incorrect"),
        told(3, "vote", "'2' is not 1 or empty"),
    ),
    "an expert's answers under two judges": (
        again(EXPERT, judge_version="x", value="incorrect"),
        told(3, "value", ALREADY),
    ),
    "an expert's order of one proof": (
        again(EXPERT, order="1", value="incorrect"),
        told(3, "value", ALREADY),
    ),
    "an expert's other choice": (
        again(CHOICE, value="tie"),
        told(3, "value", ".*says 'first'; here it says 'tie'"),
    ),
    "an expert in two spellings": (
        again(EXPERT | {"rater": "Andr\u00e9"}, rater="Andre\u0301", value="incorrect"),
        told(3, "value", ALREADY),
    ),
    "a question decided twice": (
        [EXPERT, *again(DECISION, value="incorrect")],
        told(4, "value", "the same label is already in line 3 and says 'correct'"),
    ),
    "two strata of one proof": (
        again(EXPERT | {"stratum": "a", "stratum_size": 9, "sample_size": 3}, rater="bob", stratum="b"),
        told(3, "stratum", "line 2 says 'a' of the same subject"),
    ),
    "two sizes of one stratum": (
        again(EXPERT | {"stratum": "a", "stratum_size": 9, "sample_size": 3}, rater="bob", stratum_size=8),
        told(3, "stratum_size", "line 2 says '9'"),
    ),
    "two sizes of one stratum on two proofs": (
        again(
            EXPERT | {"stratum": "a", "stratum_size": 9}, subject=PROOF.replace("01", "02"), stratum_size=8
        ),
        told(3, "stratum_size", "line 2 says '9' of the same stratum"),
    ),
    "more of a stratum than it has": (
        again(EXPERT | {"stratum": "a", "stratum_size": "1"}, subject=PROOF.replace("01", "02")),
        told(3, "stratum_size", "2 of the stratum 'a' are labelled, more than 1"),
    ),
    "more of a stratum than were drawn": (
        again(EXPERT | {"stratum_size": 9, "sample_size": "1"}, subject=PROOF.replace("01", "02")),
        told(3, "sample_size", "2 of the stratum '' are labelled, more than 1"),
    ),
    "a grade in sight of a verdict and not": (
        again(EXPERT | {"verdict_seen": "yes"}, question="logic", value=4, order="1", verdict_seen="no"),
        told(3, "verdict_seen", "line 2 says 'yes' of the same grade"),
    ),
    "one version of two judges": (
        again(VERDICT, rater="claude"),
        told(3, "judge_version", "'gpt-v1' is a version of 'gpt' in line 2, not of 'claude'"),
    ),
    "a version with and without a name": (
        again(VERDICT, vote="2", judge_version=""),
        told(3, "judge_version", "line 2 says 'gpt-v1' of 'gpt', and this row ''"),
    ),
    "a pair by its other name": (
        [CHOICE | {"subject": "sample-proof-01/basalt|aurora/1"}],
        told(2, "subject", r".*is called 'sample-proof-01/aurora\|basalt/1'"),
    ),
    "an attempt by its other name": (
        [EXPERT | {"subject": "sample-proof-01/aurora/01"}],
        told(2, "subject", f".*is called '{PROOF}'"),
    ),
}
NAMES = {
    name: ([EXPERT | {"campaign": name}], told(2, "campaign", ".*a name of a campaign"))
    for name in (
        "Round 1",
        "v1.2",
        "..",
        ".",
        "a/b",
        "a" * 101,
        "a" * 300,
        "é",
        "a\u200bb",
        "?q",
        "<b>",
        "=1",
        "a\tb",
    )
} | {
    "new": (
        [EXPERT | {"campaign": "new"}],
        told(2, "campaign", "'new' cannot be the name of a campaign: a page"),
    ),
    "of a judge's row": (
        [VERDICT | {"campaign": "Round 1"}],
        told(2, "campaign", "'Round 1': a name of a campaign"),
    ),
    "of a decision": (
        [EXPERT, DECISION | {"campaign": "Round 1"}],
        told(3, "campaign", "'Round 1': a name of a campaign"),
    ),
    "a judge of 101 letters": ([VERDICT | {"rater": "j" * 101}], told(2, "rater", "is longer than 100")),
    "an expert of 501 letters": ([EXPERT | {"rater": "r" * 501}], told(2, "rater", "is longer than 500")),
    "a version of 201 letters": (
        [VERDICT | {"judge_version": "v" * 201}],
        told(2, "judge_version", "is longer than 200"),
    ),
    "a stratum of 201 letters": ([EXPERT | {"stratum": "s" * 201}], told(2, "stratum", "is longer than 200")),
}
TIMES = {
    "no zone": (
        [at("2026-10-05T08:10:53")],
        told(2, "created_at", "'2026-10-05T08:10:53' is not an ISO 8601 time with its zone"),
    ),
    "a date": (
        [at("2026-10-05")],
        told(2, "created_at", "'2026-10-05' is not an ISO 8601 time with its zone"),
    ),
    "words": ([at("yesterday")], told(2, "created_at", "'yesterday' is not an ISO 8601 time with its zone")),
    "a 30th of February": (
        [at("2026-02-30T00:00:00Z")],
        told(2, "created_at", "'2026-02-30T00:00:00Z' is not an ISO"),
    ),
    "hour 25": (
        [at("2026-02-03T25:00:00Z")],
        told(2, "created_at", "'2026-02-03T25:00:00Z' is not an ISO 8601"),
    ),
    "the first year": (
        [at("0001-01-01T00:00:00Z")],
        told(2, "created_at", "'0001-01-01T00:00:00Z' is before 1970"),
    ),
    "before the first year": ([at("0001-01-01T00:00:00+14:00")], told(2, "created_at", ".*is before 1970")),
    "the zero of spreadsheets": ([at("1899-12-30T00:00:00Z")], told(2, "created_at", ".*is before 1970")),
    "the last year": ([at("9999-12-31T23:59:59Z")], told(2, "created_at", ".*is in the future")),
    "after the last year": ([at("9999-12-31T23:59:59-14:00")], told(2, "created_at", ".*is in the future")),
    "a judge of the future": (
        [VERDICT | {"created_at": "2900-01-01T00:00:00Z"}],
        told(2, "created_at", ".*is in the future"),
    ),
    "a decision of the future": (
        [EXPERT, DECISION | {"created_at": "2900-01-01T00:00:00Z"}],
        told(3, "created_at", ".*is in the future"),
    ),
}
HOSTILE = {**OFF_THE_SCALE, **CONTRADICTIONS, **NAMES, **TIMES}


def written(folder: Path, given: list[Row], name: str = "labels.csv") -> Path:
    """A table of CSV, whose first row of labels is line 2."""
    columns = list(dict.fromkeys(column for row in given for column in row))
    texts = [
        {column: {True: "true"}.get(row.get(column), row.get(column, "")) for column in columns}
        for row in given
    ]
    quoted = [[f'"{str(row[column]).replace(chr(34), chr(34) * 2)}"' for column in columns] for row in texts]
    path = folder / name
    path.write_bytes("".join(",".join(line) + "\n" for line in [columns, *quoted]).encode())
    return path


def stored() -> list[int]:
    tables = (Campaign, Answer, Adjudication, Comment, Judge, Verdict, StepVerdict, User)
    return [table.objects.count() for table in tables]


@pytest.mark.parametrize(("given", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_table_is_refused_with_line_and_field_and_nothing_is_stored(
    proofs, tmp_path, given, reason
):
    before = stored()
    with pytest.raises(Refused, match=f"(?m)^{reason}"):
        import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    assert stored() == before


def test_an_output_by_the_title_of_its_system_is_refused_with_its_own_name(proofs, tmp_path):
    System.objects.filter(slug="aurora").update(name="Aurora 2.5 (Think)")
    path = written(tmp_path, [EXPERT | {"subject": "sample-proof-01/Aurora 2.5 (Think)/1"}])
    with pytest.raises(Refused, match=f"has no output .*, but '{PROOF}', by its system's short name"):
        import_labels(actor=None, path=path, release=proofs)


@pytest.mark.parametrize("value", [True, 7, 1e400, {"yes": 1}], ids=str)
def test_what_json_calls_a_value_is_refused_where_it_is_none_of_the_scale(proofs, tmp_path, value):
    path = tmp_path / "labels.jsonl"
    path.write_text("\n" + json.dumps(VERDICT | {"value": value}))
    before = stored()
    with pytest.raises(Refused, match="line 2"):
        import_labels(actor=None, path=path, release=proofs)
    assert stored() == before


def test_draws_are_kept_where_the_question_has_one(proofs, tmp_path):
    """Of a judge a tie, of an expert also that both are bad."""
    other = PAIR.replace("01", "02")
    given = [
        CHOICE | {"value": "tie"}, CHOICE | {"value": "both_bad", "subject": other},
        JUDGED | {"value": "tie"}, JUDGED | {"value": "tie", "order": "2"},
    ]  # fmt: skip
    import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    answers = Answer.objects.filter(question="preference").order_by("value")
    assert list(answers.values_list("value", flat=True)) == ["both_bad", "tie"]
    assert list(Verdict.objects.values_list("value", flat=True)) == ["tie", "tie"]


def test_an_answer_in_words_is_imported_whole(proofs, tmp_path):
    words = "The second proof never uses that the group is finite. " * 40
    given = [CHOICE | {"question": "reason", "value": words.strip()}]
    import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    assert Answer.objects.get(question="reason").value == words.strip()


def test_equal_rows_are_one_label_and_are_counted(proofs, tmp_path):
    """However the same is written: 4 points or 4.0, a time with Z or +00:00, the first vote or none."""
    given = [
        *again(points(4) | {"created_at": "2026-10-05T08:00:00Z"}, value="4.0", created_at="2026-10-05T10:00:00+02:00"),
        *again(VERDICT | {"confidence": "0.5"}, confidence="0.50", vote="", order="1", state="answered"),
        *again(DECISION | {"question": "logic", "value": "4"}, informed="no", overrules="no"),
    ]  # fmt: skip
    report = import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    counts = (report.expert_labels, report.judge_labels, report.decisions, report.repeated)
    assert counts == (1, 1, 1, 3)
    assert not import_labels(actor=None, path=written(tmp_path, given), release=proofs).changed


def test_a_verdict_that_is_stored_contradicts_a_file_that_says_otherwise(proofs, tmp_path):
    import_labels(actor=None, path=written(tmp_path, [VERDICT | {"comment": "Fine."}]), release=proofs)
    before = stored()
    for change, field, said in (
        ({"value": "no", "comment": "Fine."}, "value", "'yes' of it here already, and 'no' in the file"),
        (
            {"value": "", "state": "abstain", "comment": "Fine."},
            "value",
            "'yes' of it here already, and 'abstain'",
        ),
        ({"comment": "Bad."}, "comment", "'Fine.' of it here already, and 'Bad.' in the file"),
        (
            {"comment": "Fine.", "confidence": "0.5"},
            "confidence",
            "None of it here already, and 0.5 in the file",
        ),
    ):
        given = [VERDICT | {"vote": "2", "value": "no"}, VERDICT | change]
        with pytest.raises(Refused, match=f"line 3, field {field}: gpt-v1 says {said}"):
            import_labels(actor=None, path=written(tmp_path, given), release=proofs)
        assert stored() == before
    more = [VERDICT | {"comment": "Fine."}, VERDICT | {"vote": "2", "value": "no"}]
    assert import_labels(actor=None, path=written(tmp_path, more), release=proofs).new_verdicts == 1


def test_a_verdict_on_a_step_that_is_stored_contradicts_a_file_that_says_otherwise(lemmas, tmp_path):
    loaded(lemmas, tmp_path)
    given = rows()
    assert given[3]["value"] == "incorrect"
    assert given[3]["rater_kind"] == JUDGE["rater_kind"]
    given[3]["value"] = "correct"
    with pytest.raises(
        Refused, match=r"line 4, field value: .* says 'incorrect' .* and 'correct' in the file"
    ):
        loaded(lemmas, tmp_path, *given)


def test_a_label_that_is_stored_is_named_with_both_values(proofs, tmp_path):
    clear = EXPERT | {"question": "clarity", "value": "3"}
    import_labels(actor=None, path=written(tmp_path, [EXPERT, clear]), release=proofs)
    before = stored()
    with pytest.raises(Refused, match=r"line 3: .* labels of ann here: clarity is '3', and '4' in the file"):
        import_labels(actor=None, path=written(tmp_path, [EXPERT, clear | {"value": "4"}]), release=proofs)
    assert stored() == before


def test_a_judge_is_not_given_the_version_of_one_that_is_here(proofs, tmp_path):
    import_labels(actor=None, path=written(tmp_path, [VERDICT]), release=proofs)
    with pytest.raises(
        Refused, match="line 2, field judge_version: 'gpt-v1' is a version of 'gpt' here already"
    ):
        import_labels(actor=None, path=written(tmp_path, [VERDICT | {"rater": "claude"}]), release=proofs)


def test_two_versions_of_one_judge_in_a_file_stay_two(proofs, tmp_path):
    given = again(VERDICT, judge_version="gpt-v2", value="no")
    import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    assert {(one.judge.label, one.value) for one in Verdict.objects.all()} == {
        ("gpt-v1", "yes"),
        ("gpt-v2", "no"),
    }


def test_a_rater_in_two_spellings_is_one_person_also_where_an_earlier_import_kept_the_other(proofs, tmp_path):
    composed, taken_apart = (unicodedata.normalize(form, "André") for form in ("NFC", "NFD"))
    clear = EXPERT | {"question": "clarity", "value": "3"}
    given = [EXPERT | {"rater": composed}, clear | {"rater": taken_apart}]
    import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    (campaign,) = Campaign.objects.filter(slug="read")
    assert campaign.items.get().assignments.get().reviewer.rater == composed
    User.objects.filter(rater=composed).update(rater=taken_apart)
    assert not import_labels(actor=None, path=written(tmp_path, given), release=proofs).changed
    other = [row | {"campaign": "second"} for row in given]
    import_labels(actor=None, path=written(tmp_path, other), release=proofs)
    assert User.objects.filter(rater__in=(composed, taken_apart)).count() == 1


def test_a_comment_is_of_its_label_in_either_spelling_and_so_is_a_filter(proofs, tmp_path):
    composed, taken_apart = (unicodedata.normalize(form, "André") for form in ("NFC", "NFD"))
    labels = written(tmp_path, [EXPERT | {"rater": composed}])
    remark = {name: EXPERT[name] for name in ("campaign", "subject")} | {"text": "Why?", "rater": taken_apart}
    comments = written(tmp_path, [remark], "comments.csv")
    import_labels(actor=None, path=labels, release=proofs, comments=comments)
    comment = Comment.objects.get(text="Why?")
    assert comment.grade.assignment.reviewer.rater == composed
    wanted = label_filter({"rater": taken_apart}, identities=True)
    assert [row["rater"] for row in label_rows(proofs, wanted=wanted)] == [composed]


@pytest.mark.parametrize("name", ["Table-1", "2026", "a" * 100, "_", "-"])
def test_a_name_that_is_an_address_has_its_pages(proofs, tmp_path, owner, client, name):
    given = [EXPERT | {"campaign": name}]
    import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    for address in (
        reverse("studies"),
        reverse("study", args=[proofs.name]),
        reverse("campaign", args=[name]),
    ):
        assert client.get(address).status_code == 200
    exported = "".join(csv_lines(label_rows(proofs, campaign=name)))
    path = tmp_path / "again.csv"
    path.write_text(exported)
    assert not import_labels(actor=None, path=path, release=proofs).changed


def test_a_time_may_be_of_any_zone(proofs, tmp_path):
    given = [at("2026-10-05T08:00:00+23:59"), VERDICT | {"created_at": "2026-10-05T08:00:00-23:59:30"}]
    import_labels(actor=None, path=written(tmp_path, given), release=proofs)
    times = {row["created_at"] for row in label_rows(proofs)}
    assert times >= {"2026-10-04T08:01:00+00:00", "2026-10-06T07:59:30+00:00"}


def test_clocks_of_two_sites_may_differ_by_some_hours(proofs, tmp_path):
    soon = (datetime.now(UTC) + timedelta(hours=5)).isoformat()
    import_labels(actor=None, path=written(tmp_path, [at(soon)]), release=proofs)
    assert Answer.objects.filter(grade__created_at=soon).exists()


def test_a_comment_has_a_time_like_its_label(proofs, tmp_path):
    labels = written(tmp_path, [EXPERT])
    for moment, said in (("soon", "is not an ISO"), ("9999-12-31T23:59:59-14:00", "is in the future")):
        remark = {name: EXPERT[name] for name in ("campaign", "subject", "rater")}
        comments = written(tmp_path, [remark | {"text": "Why?", "created_at": moment}], "comments.csv")
        with pytest.raises(Refused, match=f"comments.csv, line 2, field created_at: .*{said}"):
            import_labels(actor=None, path=labels, release=proofs, comments=comments)


def sent(client, release: Release, folder: Path, **files: list[Row]):
    tables = {f"{name}.csv": written(folder, given).read_bytes() for name, given in files.items()}
    return send(client, release, "sent.zip", archive(tables))


def test_a_refused_file_is_called_what_it_is_called(proofs, client):
    upload = send(client, proofs, "marks.csv", b"problem_id,score\np1,7\n")
    assert upload.refusal.startswith("marks.csv: line 1: unknown column 'problem_id'")


def test_files_of_one_upload_that_contradict_each_other_are_refused_with_both_places(
    proofs, client, tmp_path
):
    before = stored()
    other = [EXPERT | {"rater": "bob"}, EXPERT | {"value": "incorrect"}]
    upload = sent(client, proofs, tmp_path, a=[EXPERT], b=other)
    assert upload.state == ImportState.REFUSED
    (fault,) = upload.faults
    assert (fault["file"], fault["line"], fault["field"]) == ("b.csv", 3, "value")
    assert "already in line 2 of a.csv and says 'correct'; here it says 'incorrect'" in fault["reason"]
    assert stored() == before


def test_a_file_that_is_sent_twice_counts_once_and_the_page_says_so(proofs, client, tmp_path):
    remark = {name: EXPERT[name] for name in ("campaign", "subject", "rater")}
    one, two = remark | {"text": "Why?", "severity": "minor"}, remark | {"text": "How?", "severity": "minor"}
    files = {"a": [EXPERT], "b": [EXPERT], "c": [one, one, two], "d": [one, one, two]}
    upload = apply(client, sent(client, proofs, tmp_path, **files))
    assert upload.report["repeated"] == 4
    assert Answer.objects.filter(grade__assignment__item__campaign__slug="read").count() == 1
    found = Comment.objects.filter(grade__assignment__item__campaign__slug="read")
    assert sorted(found.values_list("text", flat=True)) == ["How?", "Why?", "Why?"]
    page = client.get(reverse("import", args=[upload.handle])).content.decode()
    assert "Equal rows, counted once" in page


# Who said it, about what, with which form: two rows that differ here are two labels, or are compared elsewhere.
ABOUT = (
    "release", "campaign", "question", "subject", "instance", "system", "attempt", "step", "cluster", "domain", "rater",
    "rater_kind", "vote", "order", "judge_version", "rubric_version",
)  # fmt: skip


@pytest.mark.parametrize("column", [name for name in COLUMNS if name not in ABOUT])
def test_a_label_given_twice_says_the_same_in_every_column_that_says_something(column):
    """A new column too, without being listed."""
    cells = {**dict.fromkeys(COLUMNS, ""), "rater_kind": "expert", "value": "yes"}
    told = {"confidence": "0.5", "seconds": "7", "created_at": "2026-10-01T12:00:00+00:00"}
    first, row = LabelRow(2, cells), LabelRow(3, {**cells, column: told.get(column, "other")})
    found = contradiction(first, row, (first["value"], row["value"]))
    assert found
    assert found[0] == column
