"""The child process of tools: one request in, one JSON document out. Knows no Django: no settings, no database.

A tool imports what it alone needs: computer algebra takes longer to import than a proof to check.
"""

import json
import resource
import sys
from collections.abc import Mapping

MOST_FAULTS = 20


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    seconds, memory = request["limits"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    json.dump(TOOLS[request["tool"]](request["arguments"]), sys.stdout)


def calculate(arguments: Mapping[str, object]) -> dict[str, str]:
    """Whether the two sides of `left == right` are equivalent as formulas in their letters."""
    from algebra import compare

    left, sign, right = str(arguments["query"]).partition("==")
    if not sign or not left.strip() or not right.strip():
        return {"value": "unknown", "text": "Ask about two formulas: left == right."}
    found = compare(left, right)
    return {"value": found.value, "text": f"Equivalent: {found.value}. {found.reason}"}


def check(arguments: Mapping[str, object]) -> dict[str, object]:
    """What is wrong with a text's LaTeX: formulas that cannot be read, references that lead nowhere."""
    from latex import render

    report = render(str(arguments["latex"]), "latex").report
    faults = [f"{failure.reason}: {failure.source[:200]}" for failure in report.failures]
    faults += [f"a reference leads nowhere: {said}" for said in report.unresolved]
    return {"faults": faults[:MOST_FAULTS], "more": len(faults) > MOST_FAULTS}


TOOLS = {"calculate": calculate, "check": check}

if __name__ == "__main__":
    main()
