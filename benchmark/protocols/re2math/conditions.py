"""The tracks and conditions of Re2Math that are shown side by side: its Tables 2 and 7."""

from benchmark.condition_tables import ConditionColumn, ConditionTable
from benchmark.protocols.re2math.metrics import ORACLE

RAW, ASSISTED = "raw", "assisted"
LOCAL_ONLY = "local-only"

CONDITION_TABLES = (
    ConditionTable(
        key="oracle",
        title="The cited source handed over",
        definition="End to end, and where the cited source was handed over, so that only reading and applying it is "
        "left. A system may succeed end to end through another source, so the second is no upper bound of the first.",
        columns=(
            ConditionColumn(
                "end_to_end",
                "ToolAcc",
                "Raw track, global context and the last five blocks.",
                metric="tool_acc",
                track=RAW,
            ),
            ConditionColumn(
                "oracle",
                "Oracle ToolAcc",
                "The cited source was handed over; only instances whose source could be read.",
                metric="tool_acc",
                track=RAW,
                condition=ORACLE,
                coverage="OracleCoverage",
            ),
        ),
        baseline="end_to_end",
        success_type="alternative",
    ),
    ConditionTable(
        key="planning",
        title="Planning windows and assisted queries",
        definition="How often the planned need is the stored anchor when the system saw less of the proof, and how "
        "often the query written with the anchor at hand targets the intended tools.",
        columns=(
            ConditionColumn(
                "local_only",
                "Local only, m=5",
                "Planned from the last five blocks, without setup and target.",
                metric="anchor_acc",
                track=RAW,
                condition=LOCAL_ONLY,
            ),
            *(
                ConditionColumn(
                    f"window_{blocks}",
                    f"Global and local, m={blocks}",
                    f"Planned from setup, target and the last {words}.",
                    metric="anchor_acc",
                    track=RAW,
                    condition=f"window-{blocks}",
                )
                for blocks, words in ((1, "block"), (3, "three blocks"))
            ),
            ConditionColumn(
                "window_5",
                "Global and local, m=5",
                "Planned from setup, target and the last five blocks: the usual condition of the raw track.",
                metric="anchor_acc",
                track=RAW,
            ),
            ConditionColumn(
                "query",
                "QueryAcc, m=5",
                "The query of the assisted track, which is given the anchor.",
                metric="query_acc",
                track=ASSISTED,
            ),
        ),
        baseline="window_5",
    ),
)
