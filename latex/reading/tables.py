"""Tabulars: cells between & and \\\\, columns that span, lines left to the stylesheet."""

from dataclasses import dataclass, field

from latex.formulas.convert import columns
from latex.reading.engine import Engine, Frame
from latex.reading.text_commands import line_break as plain_line_break
from latex.reading.tokens import spelled

MAX_SPAN = 100
_WITH_WIDTH = frozenset({"tabular*", "tabularx", "tabulary", "xltabular", "tabu"})


@dataclass(eq=False)
class OpenTable:
    alignment: str
    frame: Frame | None = None
    cells: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    blank: bool = True  # no cell of the row holds anything yet
    span: int = 1
    column: int = 0


def begin_table(engine: Engine, name: str) -> None:
    start = engine.here
    if not engine.writer.top.line:
        engine.end_paragraph()
    engine.stream.optional()
    if name in _WITH_WIDTH:
        engine.stream.required()
    engine.stream.optional()
    opened = OpenTable(columns(spelled(engine.stream.required())).replace("|", "").replace(":", ""))
    engine.tables.append(opened)
    outer = engine.settings.get("float", "")
    engine.settings["float"] = outer or "Table"  # a longtable may have a caption

    def finish() -> None:
        engine.settings["float"] = outer
        end_table(engine, opened, start)

    engine.open_frame(name, finish)
    opened.frame = engine.frames[-1]
    open_cell(engine)


def open_cell(engine: Engine) -> None:
    engine.writer.open("cell", line=True)


def current(engine: Engine) -> OpenTable | None:
    """The table whose cell is being read, if any."""
    if engine.tables and engine.writer.top.kind == "cell":
        found = engine.tables[-1]
        return found if isinstance(found, OpenTable) else None
    return None


def end_cell(engine: Engine, table: OpenTable) -> None:
    html = engine.writer.close(engine.here).strip()
    table.blank &= not html
    align = table.alignment[table.column] if table.column < len(table.alignment) else "l"
    span = f' colspan="{table.span}"' if table.span > 1 else ""
    table.cells.append(f'<td class="{align}"{span}>{html}</td>')
    table.column += table.span
    table.span = 1


def end_row(table: OpenTable) -> None:
    if not table.blank:
        table.rows.append(f"<tr>{''.join(table.cells)}</tr>")
    table.cells, table.column, table.blank = [], 0, True


def ampersand(engine: Engine) -> None:
    table = current(engine)
    if table is None or table.frame is None:
        engine.put("&amp;")
        return
    engine.close_down_to(table.frame)
    end_cell(engine, table)
    open_cell(engine)


def line_break(engine: Engine) -> None:
    table = current(engine)
    if table is None or table.frame is None or engine.frames[-1] is not table.frame:
        plain_line_break(engine)
        return
    engine.stream.star()
    engine.stream.optional()
    end_cell(engine, table)
    end_row(table)
    open_cell(engine)


def multicolumn(engine: Engine) -> None:
    count = spelled(engine.stream.required()).strip()
    engine.stream.required()
    table = current(engine)
    if table is not None and count.isdecimal():
        table.span = max(1, min(int(count[:4]), MAX_SPAN))


def rule_of_columns(engine: Engine) -> None:
    """\\cmidrule[width](trim){columns}, layout only."""
    engine.stream.optional()
    if (token := engine.stream.peek()) is not None and token.text.startswith("("):
        engine.stream.until_character(")")
    engine.stream.required()


def end_table(engine: Engine, table: OpenTable, start: int) -> None:
    if engine.writer.top.kind == "cell":
        end_cell(engine, table)
        end_row(table)
    engine.tables.pop()
    html = (
        f'<div class="table-scroll"><table class="tabular"><tbody>{"".join(table.rows)}</tbody></table></div>'
    )
    engine.writer.block("table", html, start, engine.stream.source_end)


COMMANDS = {
    "character &": ampersand,
    "\\": line_break,
    "tabularnewline": line_break,
    "multicolumn": multicolumn,
    "cmidrule": rule_of_columns,
}
TABULARS = (
    "tabular", "tabular*", "tabularx", "tabulary", "longtable", "supertabular", "xltabular", "tabu", "array",
)  # fmt: skip
ENVIRONMENTS = dict.fromkeys(TABULARS, begin_table)
