"""Long documents to be read in the browser: real papers, and proofs of our own with all that can be referred to."""

import re
from functools import cache

from tests.latex.real_data import DATA, papers

SOURCES = DATA / "construction" / "sources"
WIDE = (
    r"\sum_{i=1}^{n-1}\frac{\bigl(f(i,0)-f(i+1,0)\bigr)^2}{4m}",
    r"\sum_{i=1}^{n}\sum_{j=0}^{n-1}\frac{\bigl(f(i,j)-f(i,j+1)\bigr)^2}{4m}",
    r"\int_{0}^{1}\Bigl(\prod_{k=1}^{n}\cos(2\pi k x)\Bigr)\,\mathrm{d}x",
)
MATRIX = r"\begin{pmatrix}" + r"\\".join(
    " & ".join(f"a_{{{i}{j}}}" for j in range(1, 15)) for i in range(1, 4)
)


def proof(sections: int) -> str:
    """Sections of a theorem, two lemmas, displays of every width, notes, a figure, and references to all of them."""
    parts = [
        r"\documentclass{article}",
        r"\newtheorem{theorem}{Theorem}[section]\newtheorem{lemma}[theorem]{Lemma}",
        r"\numberwithin{equation}{section}",
        r"\begin{document}\title{On combs and their walks}\maketitle",
    ]
    for at in range(1, sections + 1):
        other = at % sections + 1
        parts.append(rf"""
\section{{Combs of order ${at}$}}\label{{sec:{at}}}
Let $n \ge {at}$. The comb $C_n$ has a spine of $n$ vertices and a tooth of $n$ edges at each of them, so that it has
$m = n^2 + n - 1$ edges. We follow Section~\ref{{sec:{other}}} and \cite{{book{other}}}, where the same is done with
other constants\footnote{{The constants of part {at} are not the best ones.}}; see also Figure~\ref{{fig:{other}}}.

\begin{{theorem}}[Mixing, part {at}]\label{{thm:{at}}}
There are constants $0 < c < C$ with $c n^3 \le t_n \le C n^3$. By Lemma~\ref{{lem:{other}}} and \eqref{{eq:{other}}},
\begin{{equation}}\label{{eq:{at}}} H(x,y) + H(y,x) = 4 m R(x,y) \le 24 n^3. \end{{equation}}
\end{{theorem}}

\begin{{proof}}[Proof of Theorem~\ref{{thm:{at}}}]
Only the edges of the spine carry energy, because $f$ is constant on every tooth:
\[ \mathcal E(f,f) = \tfrac12 \sum_{{x,y}} \pi(x) P(x,y) \bigl(f(x)-f(y)\bigr)^2 = {" + ".join(WIDE[: at % 3 + 1])}
   = \frac{{n-1}}{{4m}}. \]
This is \eqref{{wide:{other}}} with Theorem~\ref{{thm:{other}}}. The matrix is
\[ A_{{{at}}} = {MATRIX}\end{{pmatrix}}, \]
which has rank at most three \cite[Theorem 2]{{book{at}}}.
\end{{proof}}

\begin{{lemma}}[Variance]\label{{lem:{at}}}
For all $n \ge 3$ we have $\operatorname{{Var}} f \ge n^2 / 24$, as in Lemma~\ref{{lem:{other}}}.
\begin{{align}}
 \operatorname{{Var}} f &= \frac{{1}}{{2}} \sum_{{x,y}} \pi(x)\pi(y) \bigl(f(x)-f(y)\bigr)^2 \label{{wide:{at}}} \\
  &\ge \frac{{n^2}}{{24}} \tag{{$*_{{{at}}}$}}\label{{star:{at}}}
\end{{align}}
\end{{lemma}}
By \eqref{{star:{other}}} and \eqref{{eq:{at}}} nothing else is needed.

\begin{{figure}}\includegraphics{{comb{at}.pdf}}\caption{{The comb with {at} teeth.}}\label{{fig:{at}}}\end{{figure}}
""")
    items = "".join(
        rf"\bibitem{{book{at}}} A. Author, \emph{{Combs, volume {at}}}, 2020. "
        for at in range(1, sections + 1)
    )
    return "\n".join(
        [*parts, rf"\begin{{thebibliography}}{{99}}{items}\end{{thebibliography}}\end{{document}}"]
    )


@cache
def long_documents() -> dict[str, str]:
    """Twenty: ten papers, five pieces of books and articles with their macros, and five of our own."""
    book = (SOURCES / "book" / "macros.tex").read_text("utf-8")
    chosen = dict(sorted(papers().items())[:10])
    chosen |= {
        f"book-{name}": book + (SOURCES / "book" / f"{name}.tex").read_text("utf-8")[:60_000]
        for name in ("homotopy", "categories", "hits")
    }
    for folder in ("PaperStrong22", "critical-points-gaussian-rf"):
        texts = sorted(
            (SOURCES / folder).rglob("*.tex"), key=lambda path: ("macros" not in path.name, path.name)
        )
        kept = [
            path.read_text("utf-8", "replace")
            for path in texts
            if path.name not in ("packages.tex", "ms.tex")
        ]
        chosen[folder] = re.sub(r"\\input\{[^}]*\}", "", "\n\n".join(kept))
    return chosen | {f"combs-{sections}": proof(sections) for sections in (6, 12, 18, 24, 30)}
