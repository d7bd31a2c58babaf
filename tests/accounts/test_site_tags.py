"""Template tags of the site's frame."""

import pytest

from accounts.templatetags.site import in_words, pairs


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"aurora/ungrounded": 1, "basalt": {"n": 0}}, "aurora/ungrounded 1, basalt n 0"),
        (["a", True, None, 1.5], "a, yes, none, 1.5"),
        ({}, "none"),
        ([], "none"),
        (1, "1"),
        (False, "no"),
    ],
)
def test_a_json_value_reads_without_quotes_and_brackets(value: object, words: str) -> None:
    assert in_words(value) == words


def test_a_mapping_with_a_key_called_items_is_listed_like_any_other() -> None:
    assert pairs({"items": 3, "keys": 4}) == [("items", 3), ("keys", 4)]
