"""What a command means inside a formula: tables, read by latex.mathconvert."""

import re

# Environments that are a display of their own: how KaTeX is to set them, and whether rows are numbered.
# Rows: "each" row has its number, the whole has "one", or "none".
DISPLAYS: dict[str, tuple[str, str]] = {
    "equation": ("", "one"), "equation*": ("", "none"), "displaymath": ("", "none"), "dmath": ("", "one"),
    "dmath*": ("", "none"),
    "align": ("align*", "each"), "align*": ("align*", "none"),
    "flalign": ("align*", "each"), "flalign*": ("align*", "none"),
    "alignat": ("alignat*", "each"), "alignat*": ("alignat*", "none"),
    "xalignat": ("alignat*", "each"), "xalignat*": ("alignat*", "none"),
    "gather": ("gather*", "each"), "gather*": ("gather*", "none"),
    "dgroup": ("gather*", "each"), "dgroup*": ("gather*", "none"),
    "eqnarray": ("align*", "each"), "eqnarray*": ("align*", "none"),
    "IEEEeqnarray": ("align*", "each"), "IEEEeqnarray*": ("align*", "none"),
    "multline": ("aligned", "one"), "multline*": ("aligned", "none"),
}  # fmt: skip
THREE_COLUMNS = frozenset({"eqnarray", "eqnarray*", "IEEEeqnarray", "IEEEeqnarray*"})
RAGGED = frozenset({"multline", "multline*"})

# Environments inside a formula, by the name KaTeX knows.
INNER = {
    "align": "aligned", "align*": "aligned", "flalign": "aligned", "flalign*": "aligned",
    "gather": "gathered", "gather*": "gathered", "eqnarray": "aligned", "eqnarray*": "aligned",
    "multline": "gathered", "multline*": "gathered", "multlined": "gathered", "split": "aligned",
    "cases*": "cases", "dcases*": "dcases", "numcases": "cases", "tabular": "array", "tabular*": "array",
    "lgathered": "gathered", "rgathered": "gathered", "alignat": "alignedat", "alignat*": "alignedat",
}  # fmt: skip
TRANSPARENT = frozenset(
    {"equation", "equation*", "displaymath", "math", "subequations", "minipage", "center", "small"}
)
ROW_SETS = {"aligned": "align*", "gathered": "gather*", "split": "align*", "align": "align*",
            "align*": "align*", "gather": "gather*", "gather*": "gather*"}  # fmt: skip

# Layout that a formula on a page can do without, and how its arguments are written: m braces, o brackets,
# s star, d a dimension without braces.
DROPPED: dict[str, str] = {
    "par": "", "noindent": "", "indent": "", "smallskip": "", "medskip": "", "bigskip": "", "hfill": "",
    "hfil": "", "vfill": "", "hss": "", "xspace": "", "protect": "", "leavevmode": "", "unskip": "",
    "ignorespaces": "", "allowdisplaybreaks": "o", "displaybreak": "o", "pagebreak": "o", "linebreak": "o",
    "nolinebreak": "o", "newpage": "", "clearpage": "", "centering": "", "raggedright": "", "raggedleft": "",
    "qedhere": "", "null": "", "vspace": "sm", "vskip": "d", "hskip": "d", "setlength": "mm", "addtolength": "mm",
    "setcounter": "mm", "addtocounter": "mm", "stepcounter": "m", "arraycolsep": "d", "tabcolsep": "d",
    "jot": "d", "footnotesize": "", "tiny": "", "hypersetup": "m", "phantomsection": "", "index": "sm",
    "glsadd": "m", "marginpar": "m", "nobreakdash": "", "eqno": "", "leqno": "", "break": "", "makeatletter": "",
    "makeatother": "", "relax": "", "normalfont": "", "strut": "", "mathstrut": "", "global": "", "long": "",
    "protected": "", "raggedbottom": "", "belowdisplayskip": "d", "abovedisplayskip": "d", "nobreak": "",
    "allowbreak": "", "newline": "", "thinspace": "", "penalty": "d", "mathsurround": "d", "hline*": "",
    "cline": "m", "cmidrule": "m", "toprule": "", "midrule": "", "bottomrule": "", "upshape": "",
    "itshape": "", "bfseries": "", "mdseries": "", "rmfamily": "", "sffamily": "", "ttfamily": "", "scshape": "",
    "hyphenation": "m", "pdfbookmark": "omm", "addcontentsline": "mmm", "markboth": "mm", "selectfont": "",
    "fontsize": "mm", "thispagestyle": "m", "label*": "m", "nocite": "m", "pagestyle": "m",
}  # fmt: skip

# Commands whose argument is text.
TEXT_ARGUMENT = frozenset(
    """text textrm textit textbf textsf texttt textup textmd textnormal mbox hbox emph textsl fbox tag
    operatorname@ intertext""".split()
)
HIDING = frozenset({"phantom", "hphantom", "vphantom"})
REFERENCES = frozenset(
    "ref eqref cref Cref autoref pageref nameref vref labelcref cite citet citep citeauthor parencite".split()
)
SOURCE_ONLY = {"xymatrix": "Xy-pic diagram", "diagram": "diagram", "includegraphics": "picture",
               "pstree": "picture", "begindc": "diagram", "input": "file that is not read",
               "write": "command that is never run", "openin": "command that is never run",
               "catcode": "change of TeX's alphabet", "ce": "chemistry notation", "AxiomC": "proof tree",
               "young": "Young diagram", "ytableau": "Young diagram", "chemfig": "chemistry notation"}  # fmt: skip

DIMENSION = re.compile(r"\s*=?\s*-?[\d.]*\s*(?:pt|em|ex|mm|cm|in|mu|sp|bp|pc|fil+)?")

# Bare commands that authors leave outside of dollar signs; shown as a formula of one symbol.
SYMBOLS = frozenset(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
    varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi
    Psi Omega infty partial nabla forall exists emptyset varnothing in notin ni subset subseteq supset supseteq
    cup cap setminus times cdot div pm mp le leq ge geq ne neq equiv approx cong sim simeq to rightarrow leftarrow
    Rightarrow Leftarrow Leftrightarrow leftrightarrow implies impliedby iff mapsto longrightarrow Longrightarrow
    hookrightarrow uparrow downarrow sum prod int oint coprod wedge vee oplus otimes circ bullet star ast dagger
    ldots cdots dots vdots ddots ell hbar Re Im aleph prime angle triangle square blacksquare Box Diamond perp
    parallel mid nmid langle rangle lfloor rfloor lceil rceil lvert rvert lVert rVert neg land lor top bot vdash
    models qquad because therefore checkmark frac sqrt binom mathbb mathcal mathfrak mathrm mathbf mathsf mathscr
    operatorname overline widetilde widehat hat tilde bar vec sin cos tan log ln exp lim max min sup inf det dim
    ker deg gcd arg Pr colon backslash trianglelefteq unlhd rtimes ltimes""".split()
)
TAKING = frozenset(
    """frac sqrt binom mathbb mathcal mathfrak mathrm mathbf mathsf mathscr operatorname overline widetilde widehat
    hat tilde bar vec""".split()
)
