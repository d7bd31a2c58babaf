"""What a command means inside a formula: tables, read by latex.formulas.convert."""

import re

from latex.vocabulary import signatures, words

# Environments that are a display of their own: how KaTeX is to set them, and whether rows are numbered.
# Rows: "each" row has its number, the whole has "one", or "none".
DISPLAYS: dict[str, tuple[str, str]] = {
    "equation": ("", "one"), "equation*": ("", "none"), "displaymath": ("", "none"), "dmath": ("", "one"),
    "dmath*": ("", "none"),
    "align": ("align*", "each"), "align*": ("align*", "none"),
    "flalign": ("align*", "each"), "flalign*": ("align*", "none"),
    "alignat": ("alignat*", "each"), "alignat*": ("alignat*", "none"),
    "xalignat": ("align*", "each"), "xalignat*": ("align*", "none"), "xxalignat": ("align*", "none"),
    "gather": ("gather*", "each"), "gather*": ("gather*", "none"),
    "dgroup": ("gather*", "each"), "dgroup*": ("gather*", "none"),
    "eqnarray": ("align*", "each"), "eqnarray*": ("align*", "none"),
    "IEEEeqnarray": ("align*", "each"), "IEEEeqnarray*": ("align*", "none"),
    "multline": ("aligned", "one"), "multline*": ("aligned", "none"), "numcases": ("cases", "each"),
}  # fmt: skip
# Parts of formulas that authors leave without dollar signs: displays of their own, without numbers.
BARE = ("split", "aligned", "gathered", "cases", "dcases", "CD", "matrix", "pmatrix", "bmatrix", "vmatrix",
        "Bmatrix", "Vmatrix", "smallmatrix")  # fmt: skip
DISPLAYS |= {name: (name, "none") for name in BARE}
# KaTeX sets these on the line.
PRIMES = str.maketrans({"\u2032": "'", "\u2033": "''", "\u2034": "'''", "\u2057": "''''"})
THREE_COLUMNS = frozenset({"eqnarray", "eqnarray*", "IEEEeqnarray", "IEEEeqnarray*"})
RAGGED = frozenset({"multline", "multline*"})
BRACED = frozenset({"numcases"})  # an argument before one brace, with the numbers of all rows after it

# Environments inside a formula, by the name KaTeX knows.
INNER = {
    "align": "aligned", "align*": "aligned", "flalign": "aligned", "flalign*": "aligned",
    "gather": "gathered", "gather*": "gathered", "eqnarray": "aligned", "eqnarray*": "aligned",
    "multline": "gathered", "multline*": "gathered", "multlined": "gathered", "split": "aligned",
    "cases*": "cases", "dcases*": "dcases", "numcases": "cases", "tabular": "array", "tabular*": "array",
    "lgathered": "gathered", "rgathered": "gathered", "alignat": "alignedat", "alignat*": "alignedat",
}  # fmt: skip
TEXT_IN_CELLS = frozenset({"cases*", "dcases*", "numcases"})  # after the first cell of each row
TRANSPARENT = frozenset(
    {"equation", "equation*", "displaymath", "math", "subequations", "minipage", "center", "small"}
)
ROW_SETS = {"aligned": "align*", "gathered": "gather*", "split": "align*", "align": "align*",
            "align*": "align*", "gather": "gather*", "gather*": "gather*"}  # fmt: skip

# Layout that a formula on a page can do without, with the arguments it takes.
DROPPED = signatures("math", "dropped")
TEXT_ARGUMENT = words("text_argument")
HIDING = frozenset({"phantom", "hphantom", "vphantom"})
REFERENCES = words("references")
SOURCE_ONLY = {"xymatrix": "Xy-pic diagram", "xy": "Xy-pic diagram", "xygraph": "Xy-pic diagram",
               "tikz": "TikZ picture", "diagram": "diagram", "includegraphics": "picture",
               "pstree": "picture", "begindc": "diagram", "input": "file that is not read",
               "write": "command that is never run", "openin": "command that is never run",
               "catcode": "change of TeX's alphabet", "ce": "chemistry notation", "AxiomC": "proof tree",
               "young": "Young diagram", "ytableau": "Young diagram", "chemfig": "chemistry notation"}  # fmt: skip

DIMENSION = re.compile(r"\s*=?\s*-?[\d.]*\s*(?:pt|em|ex|mm|cm|in|mu|sp|bp|pc|fil+)?")
