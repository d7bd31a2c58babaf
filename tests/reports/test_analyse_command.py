"""`manage.py analyse`: subcommands, exit codes and both forms of output."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from stats.analyses.running import ANALYSES

ROOT = Path(__file__).resolve().parents[2]


def analyse(*arguments):
    out = StringIO()
    call_command("analyse", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def golden(tmp_path):
    """STATISTICS.md 2E: N_h = 300, 700; n_h = 50, 50; successes 40, 5."""
    lines = ["subject,rater_kind,rater,value,stratum,stratum_size,sample_size"]
    for judge, size, successes in (("yes", 300, 40), ("no", 700, 5)):
        for at in range(50):
            design = f"{judge},{size},50"
            lines.append(f"{judge}{at},judge,m,{judge},{design}")
            lines.append(f"{judge}{at},expert,anna,{'yes' if at < successes else 'no'},{design}")
    path = tmp_path / "golden.csv"
    path.write_text("\n".join(lines))
    return path


def test_the_corrected_score_of_the_golden_file_is_31_percent(golden):
    document = json.loads(analyse("corrected", golden, "--positive", "yes", "--json"))
    assert document["corrected"]["value"] == pytest.approx(0.31, abs=1e-12)
    assert [(row["size"], row["sampled"], row["successes"]) for row in document["strata"]] == [
        (700, 50, 5),
        (300, 50, 40),
    ]


def test_json_may_be_asked_for_before_the_analysis_too(golden):
    assert json.loads(analyse("--json", "audit", golden, "--positive", "yes"))["eligible"] == 100


def test_text_shows_values_with_intervals(golden):
    text = analyse("corrected", golden, "--positive", "yes")
    assert "0.3100  [0." in text
    assert "stratum" in text
    audit = analyse("audit", golden, "--positive", "yes")
    assert "kappa" in audit
    assert "0.6934" in audit


def test_a_judge_of_steps_is_audited_step_by_step_and_proofs_are_the_clusters(tmp_path):
    """Two proofs of three and two steps. The expert finds one wrong in each; the judge finds the first of these and
    takes a sound step for wrong: of five steps TP 2, FP 1, FN 1, TN 1."""
    said = {
        ("p", "b1"): ("correct", "correct"),
        ("p", "b2"): ("incorrect", "incorrect"),
        ("p", "b3"): ("correct", "incorrect"),
        ("q", "b1"): ("correct", "correct"),
        ("q", "b2"): ("incorrect", "correct"),
    }
    lines = ["subject,step,rater_kind,rater,question,value"]
    for (proof, step), (expert, judge) in said.items():
        lines.append(f"{proof}/a/1,{step},expert,anna,steps,{expert}")
        lines.append(f"{proof}/a/1,{step},judge,m,steps,{judge}")
    path = tmp_path / "steps.csv"
    path.write_text("\n".join(lines))
    found = json.loads(analyse("audit", path, "--positive", "correct", "--json"))
    assert found["eligible"] == 5
    assert {cell: found["in_sample"][cell] for cell in ("tp", "fp", "fn", "tn")} == {
        "tp": 2,
        "fp": 1,
        "fn": 1,
        "tn": 1,
    }
    assert "Unit of analysis: cluster" in analyse("audit", path, "--positive", "correct")


def test_agreement_pairs_and_retrieval_have_a_text_form(tmp_path):
    labels = tmp_path / "labels.csv"
    rows = [f"s{at},{rater},{'yes' if at % 3 else 'no'}" for at in range(12) for rater in ("anna", "ben")]
    labels.write_text("\n".join(["subject,rater,value", *rows]))
    assert "anna / ben" in analyse("agreement", labels, "--level", "nominal")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("subject,rater,system,value\na,r,A|B,first\nb,r,A|B,second\n")
    assert "tie parameter" in analyse("pairs", pairs)
    ranks = tmp_path / "ranks.csv"
    ranks.write_text("system,query,rank\nA,q1,1\nA,q2,\n")
    text = analyse("retrieval", ranks, "--k", "1,10")
    assert "0.5000" in text


def test_control_characters_of_names_do_not_reach_the_terminal(tmp_path):
    ranks = tmp_path / "ranks.csv"
    ranks.write_text("system,query,rank\n\x1b[31mA,q1,1\n")
    assert "\x1b" not in analyse("retrieval", ranks)


def test_columns_are_renamed_or_dropped(tmp_path):
    ranks = tmp_path / "ranks.csv"
    ranks.write_text("model,query,rank,note\nA,q1,1,x\n")
    document = json.loads(analyse("retrieval", ranks, "--map", "model=system", "--map", "note=", "--json"))
    assert document["systems"][0]["system"] == "A"


def refusal(*arguments):
    with pytest.raises(CommandError) as caught:
        analyse(*arguments)
    return caught.value


def test_a_bad_file_is_refused_with_line_and_column(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("subject,rater,value,vote\ns,anna,yes,first\n")
    refused = refusal("agreement", labels)
    assert refused.returncode == 1
    assert "labels.csv: line 2, column vote" in str(refused)


def test_a_missing_file_is_refused(tmp_path):
    refused = refusal("agreement", tmp_path / "absent.csv")
    assert refused.returncode == 1
    assert "absent.csv: No such file" in str(refused)


@pytest.mark.parametrize(
    "arguments", [("--map", "value=verdict"), ("--confidence", "95"), ("--seed", "-1")], ids=lambda a: a[0]
)
def test_wrong_arguments_are_wrong_usage(golden, arguments):
    assert refusal("audit", golden, "--positive", "yes", *arguments).returncode == 2


@pytest.mark.slow
def test_the_shell_sees_the_three_exit_codes(golden):
    def run(*arguments):
        command = [sys.executable, "manage.py", "analyse", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert run("audit", golden, "--positive", "yes").returncode == 0
    refused = run("audit", golden, "--positive", "correct")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "values: no, yes" in refused.stderr
    assert run("retrieval", golden, "--k", "0").returncode == 2


def in_environment(*arguments, **environment):
    command = [sys.executable, "manage.py", "analyse", *map(str, arguments)]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_it_runs_in_an_empty_environment_without_a_secret_key(tmp_path):
    """And three items without any variance between them: what is not defined is null, the rest is printed."""
    path = tmp_path / "labels.csv"
    path.write_text("subject,rater,value\na,x,0\na,y,1\nb,x,0\nb,y,1\nc,x,1\nc,y,0\n")
    done = in_environment("agreement", path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["questions"][""]
    assert (found["icc_1_1"]["ci"], found["icc_2_1"]["reason"]) == (None, "FEW_EVENTS")
    assert found["percent"]["value"] == 0


GRADED = "subject,system,rater,rater_kind,value\n" + "".join(
    f"s{n},{'AB'[n % 2]},{who},{kind},{(n + place) % 3}\n"
    for n in range(12)
    for place, (who, kind) in enumerate(
        (("anna", "expert"), ("ben", "expert"), ("m", "judge"), ("k", "judge"))
    )
)
CHOSEN = (
    "subject,system,rater,rater_kind,value\nq,A|B,x,expert,first\nq,A|B,m,judge,tie\nq,B|A,m,judge,second\n"
)
CALLS = {
    "agreement": (GRADED, ["--exchangeable"]),
    "difference": (GRADED, ["--first", "expert", "--second", "judge"]),
    "systems": (GRADED, ["--positive", "1,2"]),
    "audit": (GRADED, ["--positive", "1,2", "--by", "system"]),
    "corrected": (GRADED, ["--positive", "1,2", "--by", "system"]),
    "calibration": (GRADED, ["--positive", "2", "--range", "0,2"]),
    "pairs": (CHOSEN, ["--orders", "net"]),
    "gold": (CHOSEN, []),
    "errors": (GRADED, ["--positive", "1,2"]),
    "retrieval": ("system,query,rank\nA,q,1\nA,r,\n", []),
}


def test_every_analysis_is_called_here():
    assert set(CALLS) == set(ANALYSES)


@pytest.mark.slow
@pytest.mark.parametrize("analysis", list(CALLS))
def test_no_analysis_needs_a_database(tmp_path, analysis):
    """The database named here refuses connections, and no file appears where the demo would keep one."""
    table, flags = CALLS[analysis]
    path, folder = tmp_path / "labels.csv", tmp_path / "runtime"
    path.write_text(table)
    done = in_environment(
        analysis,
        path,
        *flags,
        DATABASE_URL="postgres://nobody@127.0.0.1:1/none",
        TOUCHSTONE_RUNTIME_DIR=str(folder),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [found for found in folder.rglob("*") if found.is_file()] == []


@pytest.mark.parametrize("analysis", list(CALLS))
def test_the_text_of_every_analysis_names_primary_figure_unit_and_methods(tmp_path, analysis):
    table, flags = CALLS[analysis]
    path = tmp_path / "labels.csv"
    path.write_text(table)
    text = analyse(analysis, path, *flags)
    assert "Primary" in text
    assert "Unit of analysis: " in text
    assert "Methods: " in text


@pytest.mark.parametrize(
    ("analysis", "table", "noted"),
    [
        ("systems", "subject,system,value\na,S,1\nb,S,1\nc,T,2\nd,T,3\n", "NO_SPREAD"),
        (
            "pairs",
            "subject,system,value,cluster\na,S|T,first,1\nb,S|T,second,1\nc,T|S,tie,2\n",
            "FEW_CLUSTERS",
        ),
        ("retrieval", "query,system,rank\na,S,1\nb,S,1\nc,T,2\nd,T,1\n", "NO_SPREAD"),
    ],
)
def test_the_text_says_what_qualifies_a_figure_as_json_does(tmp_path, analysis, table, noted):
    path = tmp_path / "table.csv"
    path.write_text(table)
    options = {"systems": ["--positive", "1"], "retrieval": ["--k", "5"]}.get(analysis, [])
    text = analyse(analysis, path, *options)
    assert noted in analyse(analysis, path, *options, "--json")
    (line,) = [line for line in text.splitlines() if line.startswith("S ")]
    assert noted in line


def test_a_kappa_of_two_raters_that_is_undefined_says_why(tmp_path):
    path = tmp_path / "alike.csv"
    path.write_text("subject,rater,value\n" + "".join(f"i{n},x,yes\ni{n},y,yes\n" for n in range(10)))
    (line,) = [line for line in analyse("agreement", path).splitlines() if line.startswith("x / y  10")]
    assert line.split() == ["x", "/", "y", "10", "1.0000", "-", "-", "-", "ONE_CATEGORY", "LOW_N"]


def test_the_seed_of_what_is_drawn_is_printed(golden, tmp_path):
    ranks = tmp_path / "ranks.csv"
    ranks.write_text("system,query,rank\n" + "".join(f"A,q{n},{n % 7 + 1}\n" for n in range(40)))
    assert "no random numbers" in analyse("retrieval", ranks, "--seed", "7")
    assert "seed 7" in analyse("audit", golden, "--positive", "yes", "--seed", "7")
    assert "no random numbers" in analyse("corrected", golden, "--positive", "yes", "--seed", "7")


def test_what_cannot_be_said_of_raters_without_names_is_named(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("subject,value\na,1\na,2\nb,2\nb,2\n")
    text = analyse("agreement", path, "--exchangeable")
    assert "raters not told apart" in text
    assert "Need to know who gave which label: cohen_kappa," in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("calibration", "--positive", "yes", "--range", "5,0"), 2),
        (("difference", "--first", "x", "--second", "y"), 1),
        (("systems",), 1),
    ],
)
def test_options_that_make_no_sense_are_refused(golden, arguments, code):
    analysis, *flags = arguments
    assert refusal(analysis, golden, *flags).returncode == code


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("difference", "--first", "x"), "--second"),
        (("calibration", "--positive", "yes", "--range", "low,high"), "two numbers like 0,5"),
        (("corrected", "--positive", "yes", "--by", "mood"), "--by"),
        (("audit",), "--positive"),
        (("retrieval", "--positive", "yes"), "--positive"),
    ],
)
def test_wrong_usage_is_named(golden, arguments, what):
    analysis, *flags = arguments
    assert what in str(refusal(analysis, golden, *flags))
