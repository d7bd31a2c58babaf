"""The document of the recipes' numbers says what their declarations say."""

import pytest

from construction.recipes.table import DOCUMENT, document

pytestmark = pytest.mark.no_database


def test_the_numbers_in_the_document_are_those_that_are_declared() -> None:
    assert DOCUMENT.read_text("utf-8") == document(), "run python -m construction.recipes.table"
