"""LaTeX and Markdown documents: macros, blocks with stable ids, safe HTML. Knows no Django."""

from latex.document import Block, Document, Failure, Formula, Report
from latex.formulas.katex import FormulaError, check_formulas, to_math_html
from latex.formulas.typeset import Piece, Typeset, Unplaced, typeset
from latex.render import RENDER_VERSION, guess_format, render, render_checked, render_in_time
from latex.structure.expansion import Definitions, Expanded, expand
from latex.structure.flat import Flat, Place, flatten
from latex.structure.outline import OUTLINE_VERSION, Outline, Proof, Span, Statement, outline
