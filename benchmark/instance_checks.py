"""What a program can see of any instance that is LaTeX: formulas that cannot be typeset, links that lead nowhere."""

from collections.abc import Sequence

from benchmark.protocol import ProgramReply
from latex import render_checked

_NAMED = 20  # how many faults a reason names; the evidence has all


def typeset(texts: Sequence[str]) -> ProgramReply:
    """Yes if KaTeX sets every formula of these texts, read as one document; otherwise no, with the formulas."""
    report = render_checked("\n\n".join(texts), "latex").report
    if not report.failures:
        return ProgramReply("yes", f"All formulas can be typeset; there are {report.formulas}.")
    faults = [f"{failure.source[:100]}: {failure.reason}" for failure in report.failures]
    return ProgramReply("no", "; ".join(faults[:_NAMED]), evidence={"faults": faults})


def links(texts: Sequence[str], *, found_none: str) -> ProgramReply:
    """No if a reference or citation leads nowhere in these texts, read as one document; otherwise `found_none`."""
    missing = list(render_checked("\n\n".join(texts), "latex").report.unresolved)
    if missing:
        return ProgramReply("no", "; ".join(missing[:_NAMED]), evidence={"faults": missing})
    return ProgramReply(found_none, "Every reference and citation leads to a place in the text.")
