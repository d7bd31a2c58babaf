"""Lists keep the labels that their author gave or LaTeX would give; bibliographies are lists of blocks."""

from dataclasses import dataclass, field, replace

from latex.limits import MAX_NUMBER
from latex.reading.characters import html_text
from latex.reading.counters import STYLES
from latex.reading.engine import Engine, Frame
from latex.reading.record import Entry
from latex.reading.references import Target
from latex.reading.theorems import keyed
from latex.reading.tokens import spelled

ENUMERATED = frozenset(
    {"enumerate", "compactenum", "inparaenum", "enumerate*", "asparaenum", "tagenumerate", "steps", "parts"}
)
BULLETED = frozenset({"itemize", "compactitem", "inparaitem", "itemize*", "trivlist", "list", "asparaitem"})
DESCRIBED = frozenset({"description", "compactdesc", "inparadesc", "labeling"})
_DEFAULTS = (("", "arabic", "."), ("(", "alph", ")"), ("", "roman", "."), ("", "Alph", "."))
_LEVELS = ("enumi", "enumii", "enumiii", "enumiv")
_SHORT = {"1": "arabic", "a": "alph", "i": "roman", "A": "Alph", "I": "Roman"}
Template = tuple[str, str, str]


@dataclass(eq=False)
class OpenList:
    kind: str
    template: Template
    level: str = (
        ""  # LaTeX's name of an enumeration's counter, unless it or \setlist says what its labels are
    )
    ref: Template | None = None  # what references print, where enumitem's ref=.. says it
    count: int = 0
    frame: Frame | None = None
    label: str | None = None  # of the open item; None while no item is open
    number: str = ""  # of the open item in references to the items of an enumeration in it
    items: list[str] = field(default_factory=list)


def template_of(option: str, default: Template) -> tuple[Template, int]:
    """What enumitem's label=.. or a short label such as (i) says, and the number before the first item."""
    keys = keyed(option)
    start = keys.get("start", "1")
    before = int(start) - 1 if start.isdecimal() and len(start) < 6 else 0
    if "label" in keys or "label*" in keys:
        return _template(keys.get("label") or keys.get("label*") or "") or default, before
    first = option.split(",")[0].strip()
    if first and "=" not in first and not first.startswith(("no", "left", "wide", "resume", "itemsep")):
        label = _words(first)
        for index, character in enumerate(label):
            left, right = label[:index], label[index + 1 :]
            if character in _SHORT and not left[-1:].isalpha() and not right[:1].isalpha():
                return (left, _SHORT[character], right), before
        return ((label, "", "") if label else default), before
    return default, before


def _template(label: str) -> Template | None:
    for style in STYLES:
        for written in (f"\\{style}*", f"\\{style} *", f"\\{style}{{*}}"):
            if written in label:
                left, _, right = label.partition(written)
                return _words(left), style, _words(right)
    return (_words(label), "", "") if _words(label) else None


def _words(text: str) -> str:
    """A label without its commands and braces: \\textbf{(} is (."""
    out, skipping = [], False
    for character in text[:200]:
        if character == "\\":
            skipping = True
        elif skipping and character.isalpha():
            continue
        else:
            skipping = False
            if character not in "{}$":
                out.append({"~": " "}.get(character, character))
    return "".join(out).lstrip()


def numbered(template: Template, count: int) -> str:
    before, style, after = template
    return before + (STYLES[style](count) if style else "") + after


def begin_list(engine: Engine, name: str) -> None:
    start = engine.here
    engine.end_paragraph()
    option = spelled(engine.stream.optional() or [])
    if name == "list":
        engine.stream.required(), engine.stream.required()
    kind = "enumerated" if name in ENUMERATED else "described" if name in DESCRIBED else "bulleted"
    depth = sum(
        1 for other in engine.lists[-8:] if isinstance(other, OpenList) and other.kind == "enumerated"
    )
    default = _DEFAULTS[min(depth, 3)]
    everywhere = engine.settings.get(f"labels {depth + 1}", "")
    template, before = template_of(
        option if kind == "enumerated" else "", template_of(everywhere, default)[0]
    )
    keys = keyed(option) if kind == "enumerated" else {}
    series = f"resume {depth}"
    if "resume" in keys or "resume*" in keys:
        before = int(engine.settings.get(series, "0"))
    level = _LEVELS[min(depth, 3)] if template is default else ""
    opened = OpenList(kind, template, level, _template(keys.get("ref", "")), before)
    engine.lists.append(opened)
    engine.writer.open("list", upto=start)
    engine.open_frame(name, lambda: end_list(engine, opened, start, series))
    opened.frame = engine.frames[-1]


def end_list(engine: Engine, opened: OpenList, start: int, series: str) -> None:
    end_item(engine, opened)
    if opened.kind == "enumerated":
        engine.settings[series] = str(opened.count)
    stray = engine.writer.close(engine.here)
    engine.lists.pop()
    tag = "ol" if opened.kind == "enumerated" else "ul"
    classes = {"enumerated": "labelled", "described": "labelled description"}.get(opened.kind, "")
    attribute = f' class="{classes}"' if classes else ""
    html = f"{stray}<{tag}{attribute}>{''.join(opened.items)}</{tag}>" if opened.items else stray
    engine.writer.block("list", html, start, engine.stream.source_end)


def end_item(engine: Engine, opened: OpenList) -> None:
    if opened.label is None:
        return
    body = engine.writer.close(engine.here)
    label = opened.label
    if label:
        item = f'<span class="item-label">{label}</span><div class="item-body">{body}</div>'
        classes = ' class="labelled"' if opened.kind == "bulleted" else ""
        opened.items.append(f"<li{classes}>{item}</li>")
    else:
        opened.items.append(f"<li>{body}</li>")
    opened.label = None


def item(engine: Engine) -> None:
    if not engine.lists:
        engine.end_paragraph()
        engine.note("\\item outside of a list")
        engine.put("• ")
        return
    opened = engine.lists[-1]
    assert isinstance(opened, OpenList)
    assert opened.frame is not None
    engine.close_down_to(opened.frame)
    end_item(engine, opened)
    option = engine.stream.optional()
    if option is None:
        open_item(engine, opened, next_label(engine, opened))
    else:
        engine.aim(_words(spelled(option))[:MAX_NUMBER], "item")
        engine.captured_tokens(option, lambda html: open_item(engine, opened, html or " "))


def next_label(engine: Engine, opened: OpenList) -> str:
    if opened.kind != "enumerated":
        return ""
    opened.count += 1
    text = numbered(opened.template, opened.count)
    target = numbered(opened.ref, opened.count) if opened.ref else text.rstrip(".")
    if opened.level:
        engine.counters.set(opened.level, opened.count)
        if engine.body_of("the" + opened.level):
            target = engine.counters.printed(opened.level)
            text = opened.template[0] + target + opened.template[2]
        label = engine.counters.written(engine.body_of("label" + opened.level))
        if label is not None:
            text, target = label, engine.counters.printed(opened.level)
    opened.number = target
    if opened.level and not opened.ref and not engine.body_of("the" + opened.level):
        opened.number = engine.counters.printed(opened.level)
        # LaTeX prints the items above before it: 1 in 1a, 1(a) in 1(a)i.
        numbers = [
            other.number
            for other in engine.lists[-8:]
            if isinstance(other, OpenList) and other.kind == "enumerated" and other is not opened
        ]
        printed = (f"({number})" if depth == 1 else number for depth, number in enumerate(numbers))
        target = "".join(printed)[:MAX_NUMBER] + opened.number
    engine.aim(target, "item")
    return html_text(text)


def set_list(engine: Engine) -> None:
    """enumitem's \\setlist[enumerate,1]{label=..}: the labels of enumerations that do not say what theirs are."""
    engine.stream.star()
    names = [part.strip() for part in spelled(engine.stream.optional() or []).split(",")]
    keys = spelled(engine.stream.required())
    if "enumerate" in names and "label" in keyed(keys):
        for level in [name for name in names if name.isdecimal()] or ["1", "2", "3", "4"]:
            engine.settings[f"labels {level}"[:MAX_NUMBER]] = keys


def set_enumerate(engine: Engine) -> None:
    """The same by its older name, \\setenumerate[1]{label=..}."""
    level, keys = spelled(engine.stream.optional() or []).strip(), spelled(engine.stream.required())
    if "label" in keyed(keys):
        for each in [level] if level else ["1", "2", "3", "4"]:
            engine.settings[f"labels {each}"[:MAX_NUMBER]] = keys


def open_item(engine: Engine, opened: OpenList, label: str) -> None:
    opened.label = label
    engine.writer.open("item", upto=engine.here)


def tag_item(engine: Engine) -> None:
    engine.stream.required()
    item(engine)


# -- bibliography ----------------------------------------------------------------------------------------


def begin_bibliography(engine: Engine, name: str) -> None:
    engine.end_paragraph()
    engine.stream.required()
    engine.writer.block("heading", "<h2>References</h2>", engine.here, engine.stream.source_end, "References")
    engine.settings["bibitem"] = ""
    engine.open_frame(name, lambda: end_entry(engine))


def bib_item(engine: Engine) -> None:
    """\\bibitem[label]{key}: each entry is a block that citations link to."""
    end_entry(engine)
    start, begun = engine.here, engine.own_start
    engine.end_paragraph()
    option = engine.stream.optional()
    key = engine.stream.name()
    number = _words(spelled(option).split("(")[0]) if option else engine.counters.step("bibitem")
    engine.references.bibliography.setdefault(
        key, Target(number, "cite", engine.anchor(engine.writer.next_id))
    )
    engine.record.entries.append(Entry(key, number, begun, begun))
    engine.writer.open("entry", upto=start)
    engine.settings["bibitem"] = f"{start} {number}"


def end_entry(engine: Engine) -> None:
    start, _, number = engine.settings.pop("bibitem", "").partition(" ")
    if start:
        engine.record.entries.append(replace(engine.record.entries.pop(), end=engine.here))
    if not start or engine.writer.top.kind != "entry":
        return
    body = engine.writer.close(engine.here)
    label = f'<span class="bib-label">[{html_text(number)}]</span>'
    html = f'<div class="bibliography">{label}<div class="bib-body">{body}</div></div>'
    end = engine.here
    engine.writer.block("bibliography", html, int(start), end, f"[{number}]")


COMMANDS = {
    "item": item,
    "tagitem": tag_item,
    "bibitem": bib_item,
    "setlist": set_list,
    "setenumerate": set_enumerate,
}
ENVIRONMENTS = {
    **dict.fromkeys(ENUMERATED | BULLETED | DESCRIBED, begin_list),
    "thebibliography": begin_bibliography,
}
