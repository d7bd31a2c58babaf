"""One name of a rater for all ways to write it."""

import unicodedata


def same_name(cell: str) -> str:
    """The name in a cell without blanks around it, composed: é is one letter, whether a keyboard sent one or two.

    Every reader of label tables passes names of raters and of judges' versions through here.
    """
    return unicodedata.normalize("NFC", cell.strip())
