"""One cell of the label table names what was labelled, and is read back."""

import pytest

from benchmark.subjects import InstanceSubject, PairSubject, Subject, parse_subject

KEY = "2401.00012/gap/0"  # keys may hold slashes


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        (Subject(KEY, "aurora", 2), f"{KEY}/aurora/2"),
        (Subject(KEY, "aurora", 1, "assisted", "oracle"), f"{KEY}/aurora@assisted+oracle/1"),
        (PairSubject(Subject(KEY, "aurora", 1), Subject(KEY, "basalt", 1)), f"{KEY}/aurora|basalt/1"),
        (InstanceSubject(KEY), f"{KEY}/-/0"),
        (InstanceSubject("-"), "-/-/0"),
    ],
)
def test_a_subject_is_the_inverse_of_its_text(subject, text):
    assert str(subject) == text
    assert parse_subject(text) == subject


@pytest.mark.parametrize(
    "text", ["", "gap", "/-/0", "gap/aurora/0", "gap/aurora/x", "gap/a|a/1", "gap/a|b|c/1"]
)
def test_what_names_nothing_is_refused(text):
    with pytest.raises(ValueError, match=r"does not|whole number"):
        parse_subject(text)
