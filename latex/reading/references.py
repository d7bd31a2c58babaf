"""Labels, references and citations: noted while a document is read, resolved when all of it is known."""

import re
from dataclasses import dataclass, field

from latex.limits import MAX_NAME
from latex.reading.characters import html_attribute, html_text

_MARK = re.compile("\ue000(\\d+)\ue001")
_KINDS = {
    "eq": ("equation", "Equation"), "section": ("Section", "Section"), "item": ("item", "Item"),
    "figure": ("Figure", "Figure"), "table": ("Table", "Table"), "footnote": ("footnote", "Footnote"),
    "algorithm": ("Algorithm", "Algorithm"),
}  # fmt: skip


@dataclass(frozen=True)
class Target:
    """What a label stands for: its printed number, its kind (eq, section, item or a theorem's name), its block."""

    number: str
    kind: str
    block: str


@dataclass
class References:
    labels: dict[str, Target] = field(default_factory=dict)
    bibliography: dict[str, Target] = field(default_factory=dict)
    unresolved: list[str] = field(default_factory=list)
    _waiting: list[tuple[str, str, str, str, bool]] = field(default_factory=list)

    def label(self, name: str, target: Target) -> None:
        """The first of two equal labels stays."""
        self.labels.setdefault(name, target)

    def mark(self, command: str, keys: str, option: str = "", lead: str = "") -> str:
        """A mark for the page, exchanged for links to blocks of this document by `resolve`.

        `option` and `lead` are the HTML of what a citation says after and before its keys.
        """
        return self._mark(command, keys, option, lead, linked=True)

    def mark_in_formula(self, command: str, keys: str, option: str = "") -> str:
        """The same for the inside of a formula: numbers and words, no links."""
        return self._mark(command, keys, option, "", linked=False)

    def _mark(self, command: str, keys: str, option: str, lead: str, linked: bool) -> str:
        self._waiting.append((command, keys, option, lead, linked))
        return f"\ue000{len(self._waiting) - 1}\ue001"

    def resolve(self, text: str) -> str:
        """The text with every mark exchanged for what it stands for."""
        return _MARK.sub(lambda match: self._shown(int(match.group(1))), text)

    def numbered(self, formula: str) -> str:
        """A formula to be tried before its references are known: with a number for each."""
        return _MARK.sub("1", formula)

    def _shown(self, index: int) -> str:
        command, keys, option, lead, linked = self._waiting[index]
        names = [key.strip()[:MAX_NAME] for key in keys.split(",") if key.strip()][:50]
        if "cite" in command.lower():
            return self._citation(names, option, lead, linked)
        return ", ".join(self._reference(command, name, linked) for name in names)

    def _citation(self, keys: list[str], option: str, lead: str, linked: bool) -> str:
        parts = [self._cited(key, linked) for key in keys]
        if option:
            parts.append(self.resolve(option) if linked else _katex_text(option))
        shown = "[" + (f"{self.resolve(lead)} " if lead else "") + ", ".join(parts) + "]"
        return f'<cite class="citation">{shown}</cite>' if linked else shown

    def _cited(self, key: str, linked: bool) -> str:
        entry = self.bibliography.get(key)
        if entry is None:
            self._miss(f"no bibliography entry {key}")
            return f'<span class="unresolved">{html_text(key)}</span>' if linked else _katex_text(key)
        return _link(entry.block, entry.number) if linked else _katex_text(entry.number)

    def _reference(self, command: str, name: str, linked: bool) -> str:
        target = self.labels.get(name)
        if target is None or not target.number:
            if target is None:
                self._miss(f"no label {name}")
            if not linked:
                return _katex_text(name)
            text = html_text(name)
            return f'<a class="reference" href="#{html_attribute(target.block)}">here</a>' if target else (
                f'<span class="unresolved">{text}</span>'
            )  # fmt: skip
        text = f"({target.number})" if target.kind == "eq" else target.number
        if command in ("cref", "Cref", "autoref", "vref", "nameref", "Autoref"):
            lower, upper = _KINDS.get(target.kind, (target.kind, target.kind))
            text = f"{upper if command[0].isupper() else lower} {text}"
        elif command != "eqref":
            text = target.number
        if "\\" in target.number or "$" in target.number:  # set by its author, as in \\tag{$*$}
            if not linked:
                return html_text(text)
            source, shown = html_attribute(text), html_text(f"\\text{{{text}}}")
            formula = f'<span class="math" data-display="false" data-source="{source}">{shown}</span>'
            return f'<a class="reference" href="#{html_attribute(target.block)}">{formula}</a>'
        return _link(target.block, text) if linked else _katex_text(text)

    def _miss(self, what: str) -> None:
        if what not in self.unresolved[-50:]:
            self.unresolved.append(what)


def _link(block: str, text: str) -> str:
    return f'<a class="reference" href="#{html_attribute(block)}">{html_text(text)}</a>'


_ESCAPED = {"_": "\\_", "&": "\\&", "#": "\\#", "%": "\\%"}
_KATEX_SPECIAL = re.compile(r"[\\{}$&#^_%~]")


def _katex_text(text: str) -> str:
    """Words safe inside \\text{..}."""
    return html_text(_KATEX_SPECIAL.sub(lambda match: _ESCAPED.get(match.group(), " "), text))
