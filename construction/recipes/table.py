"""The numbers of the recipes in docs/recipes.md, from where they are declared: python -m construction.recipes.table.

tests/construction/test_recipe_tables.py fails when the document and the declarations differ.
"""

from importlib import import_module
from pathlib import Path

from construction.recipes.about import described

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "recipes.md"
RECIPES = ROOT / "construction" / "recipes"
HEAD = """# Numbers of the mining recipes

Every number that a build of a mined release can change ([construction.md](construction.md)), with the value that the
paper or its code has. Where ours differs, the last column says why. `python -m construction.recipes.table` writes this
document; pages and REST show the same words.
"""


def document() -> str:
    """The whole document."""
    text = HEAD
    for path in sorted(RECIPES.glob("*/recipe.py")):
        protocol = path.parent.name
        kind = import_module(f"construction.recipes.{protocol}.recipe").Recipe
        lines = [
            f"\n## {protocol}\n",
            "| number | what it is | ours | the paper's | why ours differs |",
            "|---|---|---|---|---|",
        ]
        for one in described(kind):
            cells = (f"`{one.name}`", one.what, one.ours_in_words, one.paper or "none", one.why)
            lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |".replace("  |", " |"))
        text += "\n".join(lines) + "\n"
    return text


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
