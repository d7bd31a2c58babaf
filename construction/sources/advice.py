"""What somebody can do about a source that cannot be used as it is, by its code. Pure."""

_BROKEN = "Download it again; the file is damaged or was cut off."
_PACK_AGAIN = "Unpack it, remove what is not LaTeX, pack it again and add that."
_OTHER_FORM = "Ask the authors for the LaTeX, or leave the paper out."
WHAT_TO_DO = {
    "pdf_only": _OTHER_FORM,
    "postscript_only": _OTHER_FORM,
    "html_only": "This is a web page, perhaps an error message of the server. Download the source again.",
    "withdrawn": "Leave it out, or add an earlier version of the paper.",
    "unknown": "Check that this is the source: a .tex file (in UTF-8, not UTF-16), or a tar or zip of them.",
    "broken": _BROKEN,
    "encrypted": "Unpack it with its password, pack it again without one, and add that.",
    "compression": "Unpack it and pack it again as .tar.gz.",
    "too_large": _PACK_AGAIN,
    "too_many_files": _PACK_AGAIN,
    "header_too_large": _PACK_AGAIN,
    "bad_path": "Do not unpack it by hand: a name in it leads elsewhere. Get the source from its publisher again.",
    "not_a_file": "It has links or devices. Pack the regular files alone and add that.",
    "no_tex": "There is no .tex file in it. Check that this is the source and not only its pictures.",
    "plain_tex": "Plain TeX and AmS-TeX are not read. Leave the paper out.",
    "no_main_file": "Choose the main file on its page, if one of its files is the paper.",
    "tie": "Choose the main file on its page.",
    "too_many_documents": "Choose the main file on its page.",
    "toplevel_missing": "Choose the main file on its page.",
    "too_slow": "Its macros need too much time. Leave the paper out, or report it as a fault of this program.",
    "too_long": "It is longer than a book. Add its chapters one by one.",
    "not_read": "Report it as a fault of this program, with the archive.",
    "other_bytes": "Give it a different version in the manifest, or remove the source that is there.",
    "twice": "Two files of this upload have the same key and version. Name them apart in a manifest.",
    "nested": "Archives within archives within archives are not unpacked. Unpack the outer one first.",
}
UNDECIDED = frozenset(
    {"no_main_file", "tie", "too_many_documents", "toplevel_missing"}
)  # a person may choose


def what_to_do(code: str) -> str:
    """One or two sentences; "" for a source that is fine."""
    return WHAT_TO_DO.get(code, "Report it as a fault of this program.") if code else ""
