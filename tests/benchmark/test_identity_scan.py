"""The identity scan finds who wrote a text and leaves ordinary mathematics alone."""

import json
from pathlib import Path

import pytest

from benchmark.identities.actions import find
from benchmark.identities.scan import scan
from benchmark.identities.shown import scan_shown
from benchmark.protocols import get_protocol
from latex.folding import read
from tests.benchmark.identities import INNOCENT, TELLING
from tests.growing import grows_in_proportion

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


def certain(text_format: str, text: str, systems: tuple[str, ...] = ()) -> list[str]:
    return [f"{found.kind}: {found.evidence}" for found in scan(text, text_format, systems) if found.certain]


# Sets of 60 and 60 texts in five languages, each by somebody who had not seen the patterns. Each was measured before it
# was used to write more patterns; docs/identity-scan.md has those figures, which are the honest ones.
STRANGERS = json.loads((Path(__file__).parent / "data" / "strangers.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_of_texts_by_strangers_all_but_a_riddle_are_found_and_no_innocent_one_is_held():
    found_now = (60, 60, 60, 60, 59, 60)  # one riddle of the fifth needs knowledge of the world
    for texts, bound in zip(STRANGERS, found_now, strict=True):
        assert (len(texts["telling"]), len(texts["innocent"])) == (60, 60)
        found = [bool(certain(row["format"], row["text"])) for row in texts["telling"]]
        held = [row["text"] for row in texts["innocent"] if certain(row["format"], row["text"])]
        assert sum(found) >= bound
        assert held == []


# Ordinary mathematics in which some pattern nearly fires: interactive proofs, statistics, acknowledgements.
NEIGHBOURS = json.loads((Path(__file__).parent / "data" / "neighbours.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", NEIGHBOURS)
@pytest.mark.parametrize("text_format", ["latex", "markdown"])
def test_ordinary_mathematics_next_to_the_patterns_is_left_alone(text_format: str, text: str):
    assert certain(text_format, text) == []


def test_an_acronym_that_the_text_itself_defines_is_a_suspicion_only():
    own = "A general probabilistic theory (GPT) is given. We call it GPT-4 if it has four pure states."
    assert not any(found.certain for found in scan(own, "plain"))
    assert any(found.evidence == "GPT-4" for found in scan(own, "plain"))
    assert certain("plain", "A generative pre-trained transformer (GPT) wrote this, namely GPT-4.")
    assert certain("plain", "GPT-4 found the bound (see below).")


def test_two_signs_tell_only_near_each_other():
    one, other = "The Reviser keeps the lemma. ", "It was bounced in Step 4. "
    assert certain("plain", one + other)
    assert certain("plain", one) == certain("plain", other) == []
    assert certain("plain", one + "The sum is finite. " * 30 + other) == []


def test_a_hidden_remark_is_read_in_every_script_and_an_address_between_angle_brackets_too():
    assert certain("latex", "<!-- generated_by: solver; reasoning_effort: high -->\nLet $n$ be even.")
    assert certain("latex", "% 第2轮:验证智能体指出缺少一致性\n由归纳法得证。")
    assert certain("markdown", "The proof is complete. <noreply@openai.com>")


# Found missing by people who had not seen the patterns (2026-11-22), and the innocent neighbours of each.
NEW_TELLING = (
    "**Reviewer**: Codex supervisor audit, confirmed",
    "This is Opus 4.6 speaking about schemes.",
    "Checked with o3-pro and by hand.",
    "Sonnet 4.5 found the counterexample.",
    "The bound was suggested by 2.5 Pro.",
    "Proposer 2, Round 4: we refine Lemma 3.",
    "## Round 3 | Verifier\nThe gap is closed.",
    "Verifier feedback: step 4 is incomplete.",
    "Als KI-Sprachmodell kann ich das Bild nicht sehen, doch der Beweis gelingt.",
    "Der Beweis wurde von einer KI erstellt.",
    "En tant que modèle de langage, je ne peux pas vérifier la référence.",
    "Cette preuve a été générée par Gemini.",
    "作为一个人工智能语言模型，我给出如下证明。",
    "以下证明由Kimi给出。",
    "Как языковая модель, я не могу проверить ссылку.",
    "Como modelo de lenguaje, no puedo verificarlo.",
    "Come modello linguistico non posso verificarlo.",
    "AIアシスタントとして、次の証明を示します。",
    r"See \includegraphics{gpt5_plot.png}.",
    r"See \includegraphics{figs/GPT-5.1_tower}.",
    r"See \includegraphics{gemini_2_5_pro.png}.",
)
NEW_INNOCENT = (
    "The figure is in the Codex Arundel of Leonardo; a codex of 1480 has it too.",
    "Sonnet 18 and Opus 27 are cited; Haiku 3 has 17 syllables.",
    "In round 2 the prover sends a colouring, and verifier 1 checks one edge.",
    "Der Benutzer der Bibliothek findet den Band; als Modell dient die Kugel.",
    "En tant que modèle de la théorie, $M$ est saturé; l'utilisateur averti reconnaît le lemme.",
    "作为一个模型，$M$ 是饱和的。由归纳假设，命题成立。",
    "Как модель теории, M насыщена.",
    "The pair (o1, o3) generates; by o(1) we mean a null sequence, and o3 4 is a row of the table.",
    "Agent 3 prefers house 2 in round 1 of top trading cycles.",
    "The temperature = 0.7 of the Ising model; top_k is not used, K_top is.",
    "In $gpt5_n + GPT_5 + 4 gpt_k$ the letters $g$, $p$ and $t$ are primes.",
)


# Missed until 2026-11-29: newer makers, and what newer tools leave behind.
NEW_TELLING += (
    "The bound was checked with Nova Premier.",
    "Axiom Math proved this first.",
    "The formal proof is by Math, Inc.",
    "INTELLECT-3 and Olmo 3 Think agree.",
    "Ling-2.5-1T and Ring-flash were asked.",
    "Phi-4-reasoning gave the idea.",
    "Skywork-OR1 needed two attempts, QED-Nano one.",
    "The idea is due to Muse Spark.",
    "Apriel-1.6 and Intern-S1 fail here.",
    "Xiaomi MiMo and Tongyi Lab have this bound.",
    "[THINK] Let $n$ be even. [/THINK] So it is.",
    "This is known [cite: 12, 15].",
    "[cite_start]The sum is finite.",
    '<grok:render type="x">The sum</grok:render> is finite.',
    "<seed:think>Let $n$ be even.</seed:think>",
    "See /mnt/user-data/outputs/proof.tex for the rest.",
    "Worked for 2h 3m\n\nThe sum is finite.",
)
NEW_INNOCENT += (
    "The Principia say so; the muse of the spark of Trinity, a large college, has an intellect of 3.",
    "The ring $R$ and the sling: a ring-free graph, a ling-1 fish, phi-4 and $\\varphi$-mini.",
    "Nova in the sky, premier of axioms; math in Gauss's sums; apriel, olmo and mercury 2.",
    "[Cite: see the book.] [think of $n$] as usual; we worked for 2 terms.",
    "The lemma works for 2 hypotheses, and it worked for 2 hours of trains in a row.",
)

# Missed until 2026-11-30: names written apart, and names at the margin of a formula.
NEW_TELLING += (
    "Written by Chat GPT.",
    "The idea is from chat-gpt.",
    "Deep Seek V3 wrote this.",
    "Open AI's model wrote this.",
    "Alpha Proof found the bound.",
    r"\[x = 1\tag{GPT-5}\]",
    r"\[x = 1\tag{DeepSeek}\]",
    r"\begin{align}x &= 1\tag{\text{Grok-4}}\\y &= 2\end{align}",
)
NEW_INNOCENT += (
    "This is an open AI problem; $U$ is open, $A_i$ is closed, and seek no deep mind in the chat.",
    r"For each $\alpha$. Proof: \[x = 1\tag{G}\] and \[y = 5 \tag{5}\]",
)


@pytest.mark.parametrize("text", NEW_TELLING)
def test_newer_models_other_languages_and_traces_of_agents_are_found(text: str):
    assert certain("markdown", text)


@pytest.mark.parametrize("text", NEW_INNOCENT)
def test_their_innocent_neighbours_are_left_alone(text: str):
    assert certain("markdown", text) == []


def test_a_system_s_name_in_one_word_is_found_in_two():
    for text in ("Deep Prover wrote this.", "by deep-prover", "by deep_prover", "DeepProver"):
        assert certain("plain", text, ("DeepProver",))
    assert certain("plain", "How deep. Prover and verifier agree.", ("DeepProver",)) == []


def test_a_command_that_is_called_after_a_model_or_a_system_is_found():
    source = r"\newcommand{\DeepSeekNorm}[1]{|#1|} So $\DeepSeekNorm{x} = \OurProver$."
    told = [r"hidden: \DeepSeekNorm", r"hidden: \DeepSeekNorm", r"hidden: \OurProver"]
    assert certain("latex", source, ("OurProver",)) == certain("markdown", source, ("OurProver",)) == told
    assert certain("latex", r"Let $\Delta > \varepsilon$ and \DeclareMathOperator{\codim}{codim}.") == []
    assert not [one for one in scan(r"$\Delta$", "latex", words=("Delta",)) if one.certain]


def told(text_format: str, text: str) -> list[str]:
    """What a proof would be held back for: its source and its page."""
    found = find(get_protocol("proofs"), (), (), {}, text, text_format)
    return [f"{row['kind']}: {row['evidence']}" for row in found if row["certain"]]


# Names that no place of the source has in one piece, by somebody who set out to break the scan (2026-11-27).
ASSEMBLED = (
    ("latex", r"\newcommand{\who}[1]{Deep#1}This proof was written by \who{Seek} V3."),
    ("latex", r"\def\x#1#2{#2#1}This proof was written by \x{T-5}{GP}."),
    ("latex", r"\let\q=G This proof was written by \q PT-5."),
    ("latex", r"This proof was written by G\textbf{\textit{P}}{\large T}-5."),
    ("latex", r"This proof was written by G\hspace{0pt}P\hspace{0pt}T-5."),
    ("latex", r"This proof was written by G\label{a}P\label{b}T-5."),
    ("latex", r"This proof was written by G\cite{a}P\index{b}T-5."),
    ("latex", r"This proof was written by G\footnote{a}P\footnote{b}T-5."),
    ("latex", "This proof was written by \\verb|GP|\\verb|T-5|."),
    ("latex", r"This proof was written by {\color{red}G}{\color{blue}P}T-5."),
    ("latex", r"\newenvironment{by}[1]{Written by GP#1}{-5.}\begin{by}{T}\end{by}"),
    ("latex", r"\begin{tabular}{llll}G&P&T&-5\end{tabular}"),
    ("latex", r"\begin{tabular}{ll}GP&T-5\end{tabular}"),
    ("latex", r"The bound of $\mathrm{GP}\phantom{x}\mathrm{T}$-5."),
    ("latex", r"The bound of $\color{red}\text{GP}\color{blue}\text{T}$-5."),
    ("latex", r"The bound of $\mathrm{\char71\char80\char84}$-5."),
    ("latex", r"The bound of $\mathbf G\mathbf P\mathbf T$-5."),
    ("latex", r"The bound of $DeepSeek$."),
    ("latex", r"\newcommand{\w}[1]{As an artificial #1, I know this.}\w{intelligence}"),
    ("markdown", "This proof was written by ~~G~~~~P~~T-5."),
    ("markdown", "This proof was written by [G](#a)[P](#b)T-5."),
    ("markdown", "This proof was written by G&shy;P&ZeroWidthSpace;T-5."),
    ("markdown", "|G|P|T|-5|\n|-|-|-|-|\n|a|b|c|d|"),
    ("plain", "This proof was written by \u13c0\u13e2\u13a2-5."),  # Cherokee
    ("plain", "This proof was written by \uab90\uabb2\uab72-5."),  # the same, small
    ("plain", "This proof was written by \ua4d6\ua4d1\ua4d4-5."),  # Lisu
    ("plain", "This proof was written by \u0262\u1d18\u1d1b-5."),  # small capitals
    ("plain", "This proof was written by G\u2ca2\u2ca6-5."),  # Coptic
    ("plain", "This proof was written by \U0001f1ec\U0001f1f5\U0001f1f9-5."),  # flags
)


@pytest.mark.parametrize(("text_format", "text"), ASSEMBLED)
def test_a_name_that_only_the_page_shows_in_one_piece_is_found(text_format, text):
    assert told(text_format, text)


def test_no_page_of_an_innocent_text_holds_it_back():
    innocent = [(row["format"], row["text"]) for texts in STRANGERS for row in texts["innocent"]]
    innocent += [*INNOCENT, *((format, text) for text in NEIGHBOURS for format in ("latex", "markdown"))]
    held = [(text, found) for format, text in innocent if (found := scan_shown(text, format))]
    assert held == []


def test_a_finding_of_the_page_points_at_its_block_and_is_not_said_twice():
    source = "First.\n\nBy \\verb|GP|\\verb|T-5|."
    (found,) = scan_shown(source, "latex")
    assert (found.kind, found.evidence, found.certain) == ("shown", "GPT-5", True)
    assert source[found.start : found.end] == "By \\verb|GP|\\verb|T-5|."
    assert told("latex", "By GPT-5, or \\verb|GP|\\verb|T-5|.") == ["name: GPT-5"]


def test_what_the_source_says_word_for_word_is_scanned_there_alone():
    assert scan_shown("Written by GPT-5.", "latex") == []
    assert scan_shown("Analysis, 1901, doi:1\u200b", "plain") == [], "a space of no width at the very end"
    assert scan_shown("Let $GPT-5$ be even.", "latex") == []
    assert scan_shown("\\newcommand{\\w}[1]{\\text{#1}}Let $\\w{GPT-5}$ be even. GPT-5$", "latex") != []


@pytest.mark.parametrize(
    ("text_format", "text"),
    [
        ("latex", "Clear. \u00a0"),
        ("latex", "Clear.\u200b~"),
        ("plain", "Clear.\u200b"),
        ("plain", "Clear.\ufeff"),
    ],
)
def test_a_text_may_end_with_any_blank(text_format, text):
    assert scan_shown(text, text_format) == []


def test_a_part_of_a_protocol_is_scanned_in_the_format_in_which_it_is_shown():
    protocol = get_protocol("re2math")
    payload = {"selected_source": {"title": "A title"}, "source_excerpt": r"By \textbf{G}P\textit{T}-5."}
    for text_format in ("plain", "markdown", "latex"):
        rows = find(protocol, (), (), payload, "A statement.", text_format)
        assert [row["field"] for row in rows if row["certain"]] == ["payload/source_excerpt"]


def test_a_name_that_a_part_makes_of_two_fields_is_found():
    source = {"authors": "Claude", "title": "an AI assistant"}
    payload = {"selected_source": source, "source_excerpt": "By induction."}
    (found,) = [
        row for row in find(get_protocol("re2math"), (), (), payload, "So.", "latex") if row["certain"]
    ]
    assert (found["field"], found["kind"], found["start"], found["end"]) == ("Selected source", "shown", 0, 0)


def test_there_are_sixty_of_each():
    assert (len(set(TELLING)), len(set(INNOCENT))) == (60, 60)


def test_at_least_95_percent_of_the_telling_texts_are_found():
    missed = [text for text_format, text in TELLING if not certain(text_format, text)]
    assert len(missed) <= 0.05 * len(TELLING), missed


def test_at_most_3_percent_of_the_innocent_texts_are_held_back():
    held = {text: found for text_format, text in INNOCENT if (found := certain(text_format, text))}
    assert len(held) <= 0.03 * len(INNOCENT), held


@pytest.mark.slow
@pytest.mark.real_data
def test_real_proofs_and_papers_name_nobody_but_in_their_fields_of_authors():
    """98 whole documents by one prover and by humans, and 84 machine-written proofs with their problems."""
    texts = [(path.read_text(), "latex") for path in sorted((DATA / "first-proof-aletheia").glob("*.tex"))]
    for path in sorted((DATA / "deepseek-math-v2" / "outputs").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            texts.append((json.dumps(json.loads(line), ensure_ascii=False), "markdown"))
    assert len(texts) > 90
    found = [evidence for text, text_format in texts for evidence in certain(text_format, text)]
    # One problem is about "DeepMind highschool"; it is in the text, so it is found.
    assert set(found) <= {"name: DeepMind"}


def test_the_names_of_the_release_s_own_systems_count():
    assert certain("plain", "The Euclid-7 agent finds x.", ("Euclid-7",)) == ["name: Euclid-7"]
    assert certain("plain", "By Euclid's algorithm we find x.", ("Euclid-7",)) == []
    suspicion = scan("By Euclid we find x.", "plain", ("Euclid",))
    assert [found.certain for found in suspicion] == [False]


def test_a_finding_points_at_the_source_as_it_was_written():
    source = r"First. \textbf{G}PT-5 says so."
    (found,) = scan(source, "latex")
    assert source[found.start : found.end] == "G}PT-5"


def test_the_reading_knows_the_place_of_every_letter():
    source = "\\def\\m{GPT}x \\m-5 \uff27 &amp; {\\'e}"
    reading = read(source, "latex")
    assert len(reading.text) == len(reading.starts) == len(reading.ends) == len(reading.symbol)
    assert all(
        0 <= start < end <= len(source) for start, end in zip(reading.starts, reading.ends, strict=True)
    )


@pytest.mark.parametrize(
    "flood",
    [
        "\\def\\a{\\a\\a}\\a",
        "%",
        "\\author{",
        "<a ",
        "&#1;",
        "{",
        "<!--",
        "as an ",
        "I am ",
        "G P ",
        "$",
        "\n",
    ],
)
@pytest.mark.parametrize("text_format", ["latex", "markdown", "plain"])
def test_the_work_on_a_hostile_flood_is_in_proportion_to_its_length(flood, text_format):
    assert grows_in_proportion(
        lambda text: scan(text, text_format),
        lambda length: flood * (length // len(flood)),
        *(2_000, 8_000, 32_000, 128_000),
    )


@pytest.mark.parametrize("flood", ["a\n\n", "\\textbf{a}", "$\\text{a}$ ", "\\item a", "\\x{", "G P "])
def test_the_work_on_a_page_is_in_proportion_to_its_length(flood):
    assert grows_in_proportion(
        lambda text: scan_shown(text, "latex"),
        lambda length: flood * (length // len(flood)),
        *(2_000, 8_000, 32_000),
    )
