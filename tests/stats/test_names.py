"""One rater is one rater however the name is written."""

import io
import unicodedata

import pytest

from stats.analyses.agreement import agreement_document
from stats.analyses.difference import difference_document
from stats.analyses.options import Options
from stats.tables.labels import CHECKS, read_labels
from stats.tables.names import same_name
from stats.tables.raw_rows import TableError

ONE, TWO = (unicodedata.normalize(form, "André") for form in ("NFC", "NFD"))
HEAD = "subject,rater,value\n"


def table(*rows: str):
    return read_labels(io.BytesIO((HEAD + "\n".join(rows)).encode()))


@pytest.mark.parametrize("cell", [ONE, TWO, f" {TWO} ", f"{ONE}\u00a0"])
def test_a_name_is_composed_and_without_blanks_around_it(cell):
    assert same_name(cell) == ONE
    assert CHECKS["rater"](cell) == CHECKS["judge_version"](cell) == ONE


def test_agreement_has_as_many_raters_as_there_are():
    rows = [f"{item},{name},{value}" for item, name, value in (("a", ONE, "yes"), ("b", TWO, "no"))]
    others = [f"{item},eve,{value}" for item, value in (("a", "yes"), ("b", "no"))]
    found = agreement_document(table(*rows, *others), level=None, options=Options())
    (question,) = found["questions"].values()
    assert question["n_raters"] == 2


def test_a_second_answer_in_the_other_spelling_is_refused_with_both_lines_and_values():
    with pytest.raises(TableError, match=rf"line 3: '{ONE}' answers 'no' about 'a' .*line 2, 'yes'"):
        agreement_document(table(f"a,{ONE},yes", f"a,{TWO},no"), level=None, options=Options())


def test_a_group_is_named_in_either_spelling():
    rows = [f"{item},{name},{item}" for item in "abc" for name in (ONE, "eve", "ben")]
    found = difference_document(
        table(*rows), first=[TWO, "eve"], second=["eve", "ben"], level=None, options=Options()
    )
    (question,) = found["questions"].values()
    assert question["first"]["raters"] == [ONE, "eve"]
