"""Outputs as other tools write them: batches of OpenAI, MathArena, Inspect. Recognised without options.

tests/benchmark/data/inspect-made-up.eval was written by inspect_ai 0.3.285 with its mock model: three samples in two
epochs, an empty answer, and one that was made to fail.
"""

import json
import struct
import zipfile
from pathlib import Path

import pytest
import zstandard
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from accounts.refusal import Refused
from benchmark.collecting.paths import Names, problem_in
from benchmark.foreign.recognising import tool_of
from benchmark.foreign.rows import fields_in
from benchmark.importing.archives import MemberReader
from benchmark.importing.outputs import import_outputs
from benchmark.importing.records import RecordError
from benchmark.importing.survey import BadFile
from benchmark.importing.uploading import work_imports
from benchmark.models import ImportUpload, Output, Release, System
from benchmark.releases.actions import import_release
from tests.benchmark.files import MASK, PROBLEM, gap, packed, write_lines

LOG = Path(__file__).parent / "data" / "inspect-made-up.eval"


def completed(name: str, *texts: str, model: str = "made-up-1", **body):
    """A line of a batch's results: a chat completion with these choices."""
    choices = [
        {"index": place, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for place, text in enumerate(texts)
    ]
    response = {"status_code": 200, "request_id": "r", "body": {"model": model, "choices": choices, **body}}
    return {"id": f"batch_req_{name}", "custom_id": name, "response": response, "error": None}


def broken(name: str, status: int = 500):
    return {
        "custom_id": name,
        "response": {"status_code": status, "body": {"error": {"message": "No."}}},
        "error": None,
    }


def arena(problem: int, *conversations):
    return {
        "idx": problem,
        "problem": "Prove it.",
        "N": len(conversations),
        "correct": [False] * len(conversations),
        "answers": ["None"] * len(conversations),
        "messages": list(conversations),
    }


def spoken(text: str, **changes):
    return [
        {"role": "user", "content": "Prove it."},
        {"role": "assistant", "type": "cot", "content": "Hm."},
        {"role": "assistant", "type": "response", "content": text, **changes},
    ]


def rows_of(path: Path):
    tool = tool_of(path)
    assert tool is not None
    return list(tool.rows(path))


def brief(path: Path):
    """(name, attempt, state, text) of every row."""
    return [(row["instance_id"], row.get("attempt"), row["state"], row["text"]) for _, row in rows_of(path)]


class TestBatches:
    def test_answers_failures_refusals_and_several_choices(self, tmp_path):
        refusal = completed("d")
        refusal["response"]["body"]["choices"] = [{"message": {"content": None, "refusal": "I will not."}}]
        expired = {"custom_id": "e", "response": None, "error": {"code": "batch_expired"}}
        path = write_lines(
            tmp_path / "b.jsonl",
            completed("a", "One."),
            broken("b", 429),
            completed("c", "x", "y"),
            refusal,
            expired,
        )
        assert tool_of(path).title == "OpenAI batch results"
        assert brief(path) == [
            ("a", None, "answered", "One."),
            ("b", None, "failed", ""),
            ("c", 1, "answered", "x"),
            ("c", 2, "answered", "y"),
            ("d", None, "abstained", ""),
            ("e", None, "failed", ""),
        ]
        # who failed says no model; all others are of one
        assert {row["system"] for _, row in rows_of(path)} == {"made-up-1"}

    def test_the_responses_api_and_contents_in_parts(self, tmp_path):
        items = [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {
                "type": "message",
                "content": [
                    {"type": "output_text", "text": "One, "},
                    {"type": "output_text", "text": "two."},
                ],
            },
        ]
        newer = completed("a") | {"response": {"status_code": 200, "body": {"model": "m", "output": items}}}
        parts = completed("b", [{"type": "text", "text": "Three."}])
        refused = completed("c") | {
            "response": {
                "status_code": 200,
                "body": {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]},
            }
        }
        path = write_lines(tmp_path / "b.jsonl", newer, parts, refused)
        assert [row[2:] for row in brief(path)] == [
            ("answered", "One, two."),
            ("answered", "Three."),
            ("abstained", ""),
        ]

    def test_what_is_no_result_is_named_by_line(self, tmp_path):
        request = {
            "custom_id": "a",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {"messages": []},
        }
        lines = (
            completed("a", "x"),
            b"{",
            request,
            {"custom_id": 7, "response": {}},
            b"[1]",
            b'{"n": ' + b"9" * 5000 + b"}",
        )
        found = [
            row for row in rows_of(write_lines(tmp_path / "b.jsonl", *lines)) if isinstance(row, RecordError)
        ]
        assert [(error.line, error.field) for error in found] == [
            (2, ""),
            (3, "body"),
            (4, "custom_id"),
            (5, ""),
            (6, ""),
        ]
        assert "this is a request" in found[1].reason


class TestMathArena:
    def test_the_last_response_is_the_answer_and_a_broken_conversation_failed(self, tmp_path):
        path = tmp_path / "2.json"
        tool = [{"role": "assistant", "type": "tool_call", "tool_name": "code"}]
        conversations = [
            spoken("Done."),
            [],
            spoken("x", role="user"),
            spoken("x") + tool,
            spoken("<think>a</think> Then b."),
        ]
        path.write_text(json.dumps(arena(2, *conversations)))
        assert tool_of(path).title == "MathArena outputs"
        assert brief(path) == [
            ("2", 1, "answered", "Done."),
            ("2", 2, "failed", ""),
            ("2", 3, "failed", ""),
            ("2", 4, "failed", ""),
            ("2", 5, "answered", "Then b."),
        ]

    def test_a_folder_is_read_as_one_and_names_its_systems(self, tmp_path):
        for solver in ("m1", "m2"):
            (tmp_path / "comp" / solver).mkdir(parents=True)
            for problem in (1, 2):
                text = json.dumps(arena(problem, spoken(f"{solver} {problem}")))
                (tmp_path / "comp" / solver / f"{problem}.json").write_text(text)
        found = rows_of(tmp_path / "comp")
        assert [number for number, _ in found] == [1, 2, 3, 4]
        assert [(row["system"], row["instance_id"]) for _, row in found] == [
            ("m1", "1"),
            ("m1", "2"),
            ("m2", "1"),
            ("m2", "2"),
        ]
        (tmp_path / "comp" / "notes.json").write_text("{}")
        assert tool_of(tmp_path / "comp") is None


class TestInspect:
    def test_a_log_that_inspect_wrote(self):
        # completions come in turn: p1, p2, p3 of epoch 1, then of epoch 2, where the third was made to fail
        assert [(name, attempt, state) for name, attempt, state, _ in brief(LOG)] == [
            ("p1", 1, "answered"),
            ("p2", 1, "answered"),
            ("p3", 1, "answered"),
            ("p1", 2, "answered"),
            ("p2", 2, "answered"),
            ("p3", 2, "failed"),
        ]
        texts = [text for *_, text in brief(LOG)]
        assert texts == ["By induction, $a<b$. " * 12, "Take $x=1$.", "", "Let $n$ be even.", "No idea.", ""]
        (_, first), *_ = rows_of(LOG)
        assert (first["system"], first["metadata"]) == ("mockllm/model", {"problem": "P-1", "points": 1})

    def test_the_same_log_as_json_has_the_same_rows(self, tmp_path):
        with MemberReader(LOG) as archive:
            header = json.loads(archive.read("header.json"))
            samples = [
                json.loads(archive.read(name)) for name in archive.names if name.startswith("samples/")
            ]
        order = ["version", "status", "eval"]
        document = {name: header[name] for name in order} | header | {"samples": samples}
        path = tmp_path / "log.json"
        path.write_text(json.dumps(document))
        assert rows_of(path) == rows_of(LOG)

    def test_an_answer_that_is_kept_as_an_attachment_and_one_in_parts(self, tmp_path):
        parts = {
            "message": {
                "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Two."}]
            }
        }
        samples = [
            sample(
                "a",
                output={"choices": [{"message": {"content": "attachment://f00"}}]},
                attachments={"f00": "One."},
            ),
            sample("b", output={"choices": [parts]}),
            sample("c", output={"choices": [], "completion": "Three."}),
            sample("d", output={"choices": [], "error": "500"}),
        ]
        assert [row[2:] for row in brief(eval_log(tmp_path, *samples))] == [
            ("answered", "One."),
            ("answered", "Two."),
            ("answered", "Three."),
            ("failed", ""),
        ]

    def test_a_sample_that_was_logged_twice_counts_once_as_it_was_last(self, tmp_path):
        first, again = sample("a", text="First."), sample("a", text="Again.")
        with pytest.warns(UserWarning, match="Duplicate name"):
            path = eval_log(tmp_path, first, again)
        assert brief(path) == [("a", 1, "answered", "Again.")]

    @pytest.mark.parametrize("changes", [{"id": None}, {"epoch": 0}, {"epoch": "1"}])
    def test_a_sample_without_name_or_epoch_is_named(self, tmp_path, changes):
        _, error = rows_of(eval_log(tmp_path, sample("a"), sample("b") | changes))
        assert (error.line, error.field) == (2, next(iter(changes)))

    def test_a_run_that_did_not_finish_is_refused_with_the_number_of_its_samples(self, tmp_path):
        with pytest.raises(RecordError, match=r"has no header.json: the run did not finish \(1 samples\)"):
            rows_of(eval_log(tmp_path, sample("a"), header=None))
        with pytest.raises(RecordError, match="its status is cancelled, with 2 samples"):
            rows_of(eval_log(tmp_path, sample("a"), sample("b"), header={"status": "cancelled"}))


HEADER = {"version": 2, "status": "success", "eval": {"model": "made-up/1"}}


def sample(name: str, text: str = "x", **changes):
    output = {"model": "made-up/1", "choices": [{"message": {"role": "assistant", "content": text}}]}
    return {"id": name, "epoch": 1, "output": output, "metadata": {}, **changes}


def eval_log(folder: Path, *samples, header=HEADER, **members: bytes) -> Path:
    """A log as Inspect wrote it until 2025, with Deflate."""
    path = folder / "made-up.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(HEADER))
        for number, one in enumerate(samples):
            archive.writestr(f"samples/{one['id'] or number}_epoch_{one['epoch']}.json", json.dumps(one))
        if header is not None:
            archive.writestr("header.json", json.dumps(header))
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def zstandard_zip(path: Path, **members: bytes) -> Path:
    """A zip whose members are compressed by Zstandard, made by hand."""
    body, listed = b"", b""
    for name, content in members.items():
        data, raw = zstandard.compress(content), name.encode()
        crc = __import__("zlib").crc32(content)
        middle = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 0, crc, len(data), len(content), len(raw), 0)
        listed += (
            b"PK\x01\x02"
            + struct.pack("<H", 63)
            + middle
            + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
            + raw
        )
        body += b"PK\x03\x04" + middle + raw + data
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(listed), len(body), 0)
    path.write_bytes(body + listed + b"PK\x05\x06" + end)
    return path


class TestHostileArchives:
    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip at all" * 100, LOG.read_bytes()[:-30]])
    def test_what_is_no_archive_is_refused(self, tmp_path, content):
        path = tmp_path / "x.eval"
        path.write_bytes(content)
        with pytest.raises(RecordError, match="not a readable zip archive"):
            rows_of(path)

    def test_a_bomb_is_refused_by_size_before_it_is_unpacked(self, tmp_path):
        bomb = zstandard_zip(tmp_path / "x.eval", **{"header.json": b"[" * 200_000_000})
        assert bomb.stat().st_size < 20_000
        with pytest.raises(RecordError, match="unpacks to more than") as caught:
            rows_of(bomb)
        assert caught.value.field == "header.json"
        path = eval_log(tmp_path, sample("a", text="x" * 3_000_000))
        with pytest.raises(RecordError, match="100 times the size"):
            rows_of(path)

    def test_a_changed_byte_is_noticed(self, tmp_path):
        path = zstandard_zip(tmp_path / "x.eval", **{"header.json": json.dumps(HEADER).encode()})
        with MemberReader(path) as archive:
            assert json.loads(archive.read("header.json")) == HEADER
        content = bytearray(path.read_bytes())
        place = content.index(b"made-up")
        content[place] ^= 1
        path.write_bytes(content)
        with MemberReader(path) as archive, pytest.raises(RecordError, match="is broken"):
            archive.read("header.json")

    def test_a_list_of_members_that_leads_nowhere_is_refused(self, tmp_path):
        path = zstandard_zip(tmp_path / "x.eval", **{"header.json": b"{}"})
        content = path.read_bytes()
        path.write_bytes(content.replace(b"PK\x03\x04", b"PK\x03\x05", 1))
        with MemberReader(path) as archive, pytest.raises(RecordError, match="no member where the list says"):
            archive.read("header.json")

    def test_members_with_other_names_are_never_read_and_nothing_is_written(self, tmp_path):
        members = {"outside.json": b"{", "samples": b"", "logs/readme.txt": b"\0"}
        assert brief(eval_log(tmp_path, sample("a"), **members)) == [("a", 1, "answered", "x")]
        assert [each.name for each in tmp_path.iterdir()] == ["made-up.eval"]

    @pytest.mark.parametrize("depth", [100_000])
    def test_deep_nesting_is_an_error_and_not_a_crash(self, tmp_path, depth):
        with pytest.raises(RecordError, match=r"nested deeper|not JSON"):
            rows_of(eval_log(tmp_path, sample("a"), header=None, **{"header.json": b"[" * depth}))


@pytest.mark.parametrize(
    ("name", "pattern", "key", "attempt"),
    [
        ("p1", "", "p1", None),
        ("P1", "", "p1", None),
        ("p1:2", "", "p1", 2),
        ("p1-attempt-2", "", "p1", 2),
        ("p1/3", "", "p1", 3),
        ("2401.1_gap_0", "", "2401.1_gap_0", None),
        ("2401.1_gap_0_2", "", "2401.1_gap_0", 2),
        ("other", "", "other", None),
        ("req-p1-of-spring-4", "req-{problem}-of-spring-{attempt}", "p1", 4),
        ("req-1-of-spring-4", "req-{problem}-of-spring-{attempt}", "p1", 4),
        ("p1", "req-{problem}", "p1", None),
    ],
)
def test_names_mean_problems_and_attempts(name, pattern, key, attempt):
    assert problem_in(name, pattern, Names(["p1", "2401.1_gap_0"])) == (key, attempt)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Here it is: {"a": 1}', {}),
        ("{a}", {}),
        ("[1]", {}),
        ("", {}),
    ],
)
def test_fields_are_read_from_a_reply_that_is_an_object(text, fields):
    assert fields_in(text) == fields


@pytest.fixture
def proofs(db, tmp_path) -> Release:
    lines = [PROBLEM | {"instance_id": f"p{number}"} for number in (1, 2, 3)]
    import_release(
        actor=None, protocol="proofs", path=write_lines(tmp_path / "r.jsonl", *lines), name="proofs"
    )
    return Release.objects.select_related("benchmark").get(name="proofs")


def stored():
    return sorted(Output.objects.values_list("instance__key", "attempt", "state"))


class TestTotals:
    """What is imported adds up to what the source says of itself."""

    def stored(self, release, path) -> tuple[int, int]:
        """Outputs, and their tokens."""
        report = import_outputs(actor=None, path=path, release=release, system="mock")
        payloads = Output.objects.values_list("payload", flat=True)
        return report.outputs, sum(payload.get("budget", {}).get("tokens", 0) for payload in payloads)

    def test_of_a_log_of_inspect(self, proofs):
        with MemberReader(LOG) as archive:
            header = json.loads(archive.read("header.json"))
        (used,) = header["stats"]["model_usage"].values()
        total = header["results"]["total_samples"], used["total_tokens"]
        assert total == (6, 329)
        assert self.stored(proofs, LOG) == total

    def test_of_a_file_of_matharena(self, proofs, tmp_path):
        # the second attempt's conversation is broken; what it used counts all the same
        costs = [{"cost": 0.5, "input_tokens": 10, "output_tokens": 200}] * 2
        document = arena("p1", spoken("Done."), []) | {"detailed_costs": costs}
        path = tmp_path / "p1.json"
        path.write_text(json.dumps(document))
        assert self.stored(proofs, path) == (2, 2 * 210)

    def test_of_results_of_a_batch(self, proofs, tmp_path):
        usage = {"prompt_tokens": 7, "completion_tokens": 30, "total_tokens": 37}
        newer = {"input_tokens": 5, "output_tokens": 6}
        lines = [
            completed("p1", "One.", "Two.", usage=usage),  # two answers of one request
            completed("p2", "Three.", usage=newer),
            broken("p3"),
        ]
        path = write_lines(tmp_path / "b.jsonl", *lines)
        assert self.stored(proofs, path) == (4, 37 + 11)
        first = Output.objects.get(instance__key="p1", attempt=1)
        second = Output.objects.get(instance__key="p1", attempt=2)
        assert first.payload["budget"]["tokens"] == 37
        assert "budget" not in second.payload


def test_the_command_imports_a_log_as_it_is(proofs, capsys):
    call_command(
        "import_outputs", str(LOG), "--release", "proofs", "--system", "mock", "--no-render", "--json"
    )
    report = json.loads(capsys.readouterr().out)
    # the empty answer of p3 is blank, and counts as abstained
    assert report["states"] == {"abstained": 1, "answered": 4, "failed": 1}
    assert stored() == [
        ("p1", 1, "answered"),
        ("p1", 2, "answered"),
        ("p2", 1, "answered"),
        ("p2", 2, "answered"),
        ("p3", 1, "abstained"),
        ("p3", 2, "failed"),
    ]
    assert System.objects.get().slug == "mock"
    call_command(
        "import_outputs", str(LOG), "--release", "proofs", "--system", "mock", "--no-render", "--json"
    )
    assert not json.loads(capsys.readouterr().out)["changed"]


def test_a_column_of_the_metadata_can_name_the_problem(proofs):
    common = {"actor": None, "path": LOG, "release": proofs, "system": "mock"}
    with pytest.raises(BadFile, match="no instance 'P-1'"):
        import_outputs(**common, key="metadata.problem", ids="x{problem}")
    assert import_outputs(**common, key="metadata.problem", ids="P-{problem}").outputs == 6
    assert Output.objects.get(instance__key="p2", attempt=1).text == "Take $x=1$."


@pytest.mark.parametrize(
    "fields",
    [
        {"attempt": 7}, {"Sample": 7}, {"trial": "all"}, {"format": "plain"}, {"text_format": "plain"},
        {"budget": {"tokens": 5, "rounds": -3}}, {"budget.rounds": 2}, {"in_files": True},
        {"state": "failed", "instance_id": "p2", "system": "other"},
    ],
)  # fmt: skip
def test_a_system_does_not_say_which_attempt_it_was_or_what_it_used(proofs, tmp_path, fields):
    """Its reply may be any JSON object. It is a text where the protocol asks for one, and says nothing of itself."""
    reply = json.dumps(fields)
    path = write_lines(tmp_path / "b.jsonl", completed("p1", reply), completed("p2:3", "Proof."))
    import_outputs(actor=None, path=path, release=proofs, system="mock", ids="")
    first = Output.objects.get(instance__key="p1")
    assert (first.attempt, first.state, first.text, first.text_format) == (1, "answered", reply, "latex")
    assert first.payload == {}
    assert Output.objects.get(instance__key="p2").attempt == 3


def test_an_unknown_column_or_pattern_is_refused(proofs):
    common = {"actor": None, "path": LOG, "release": proofs, "system": "mock"}
    with pytest.raises(Refused, match="problem"):
        import_outputs(**common, ids="no place")
    with pytest.raises(BadFile):
        import_outputs(**common, key="metadata.nothing")


def test_faults_have_the_line_of_the_file_that_was_sent(proofs, tmp_path):
    lines = [completed("p1", "x"), broken("p2"), completed("p1", "again"), completed("p9", "x")]
    with pytest.raises(BadFile) as caught:
        import_outputs(actor=None, path=write_lines(tmp_path / "b.jsonl", *lines), release=proofs, system="a")
    first, second = caught.value.errors
    assert (first.line, first.field, second.line, second.field) == (3, "attempt", 4, "instance_id")
    assert first.reason == "'p1/1' is already in b.jsonl, row 1"
    assert not Output.objects.exists()


def test_masks_are_found_by_number_and_attempt(db, tmp_path):
    masks = write_lines(tmp_path / "m.jsonl", *(MASK | {"index": number} for number in (6, 7)))
    import_release(actor=None, protocol="masked_steps", path=masks, name="masks")
    lines = [completed("6:1", "$2+1$"), completed("6:2", "$3$"), broken("6:3"), completed("7:4", "$1$")]
    lines[2:2] = [completed("7:1", '{"index": 6, "missing": true}')]  # a text, which names no other problem
    report = import_outputs(
        actor=None,
        path=write_lines(tmp_path / "b.jsonl", *lines),
        release=Release.objects.get(),
        system="a",
    )
    assert report.states == {"answered": 4, "failed": 4}  # four attempts at each mask; three were missing
    assert Output.objects.get(instance__key="7", attempt=4).text == "$1$"


def test_where_fields_are_asked_for_the_reply_is_an_object_with_them(db, tmp_path):
    gaps = write_lines(tmp_path / "g.jsonl", *(gap(number) for number in range(4)))
    import_release(actor=None, protocol="re2math", path=gaps, name="gaps")
    answer = {
        "statement": "Every such $X$ is compact.",
        "selected_source": {"title": "Topology"},
        "query": "compact",
    }
    keys = [gap(number)["instance_id"] for number in range(4)]
    lines = [
        completed(keys[0], json.dumps(answer)),
        completed(keys[1], "I found nothing."),  # not the fields that were asked for
        completed(keys[2], ""),
        broken(keys[3]),
    ]
    import_outputs(
        actor=None,
        path=write_lines(tmp_path / "b.jsonl", *lines),
        release=Release.objects.get(),
        system="a",
    )
    assert [state for *_, state in stored()] == ["answered", "failed", "abstained", "failed"]
    output = Output.objects.get(state="answered")
    assert (output.text, output.payload["selected_source"]) == (answer["statement"], {"title": "Topology"})


@pytest.fixture
def carl(client, coordinator, settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    client.force_login(coordinator)
    return client


def sent(client, route: str, file_name: str, content: bytes, **terms) -> ImportUpload:
    reply = client.post(reverse(route), {"file": SimpleUploadedFile(file_name, content), **terms})
    assert reply.status_code == 302, reply.content.decode()
    work_imports()
    return ImportUpload.objects.latest("pk")


def applied(client, upload: ImportUpload) -> ImportUpload:
    upload.refresh_from_db()
    assert upload.state == "checked", (upload.refusal, upload.faults)
    client.post(reverse("import-apply", args=[upload.handle]))
    work_imports()
    upload.refresh_from_db()
    assert upload.state == "applied", upload.refusal
    return upload


def test_outputs_of_one_system_are_uploaded_as_they_are(carl, proofs):
    upload = sent(
        carl, "import-outputs", "log.eval", LOG.read_bytes(), release="proofs", system="mock", track="raw"
    )
    applied(carl, upload)
    assert Output.objects.count() == 6


def test_import_files_recognises_a_log_and_names_its_system(carl, proofs):
    upload = sent(carl, "import-files", "log.eval", LOG.read_bytes(), release="proofs")
    address = reverse("import-mapping", args=[upload.handle])
    page = carl.get(address)
    assert "Inspect logs: 6 outputs." in page.content.decode()
    form = page.context["form"]
    fields = {name: form[name].value() or "" for name in form.fields}
    assert (fields["field:instance_id"], fields["field:text"], fields["field:attempt"]) == (
        "instance_id",
        "text",
        "attempt",
    )
    carl.post(address, {name: value for name, value in fields.items() if value is not False})
    work_imports()
    applied(carl, upload)
    assert System.objects.get().name == "mockllm/model"
    assert Output.objects.count() == 6


@pytest.mark.parametrize("half", ["\\ud800", "\\u0000"])
def test_a_reply_that_no_database_holds_is_refused_with_its_line(proofs, tmp_path, carl, half):
    path = write_lines(tmp_path / "b.jsonl", completed("p1", "Proof."), completed("p2", "so X"))
    path.write_text(path.read_text().replace("so X", f"so {half}"))
    with pytest.raises(BadFile) as refused:
        import_outputs(actor=None, path=path, release=proofs, system="mock")
    assert [(fault.line, fault.field) for fault in refused.value.errors] == [(2, "text")]
    whole = sent(
        carl, "import-outputs", "b.jsonl", path.read_bytes(), release="proofs", system="m", track="raw"
    )
    upload = sent(carl, "import-files", "b.jsonl", path.read_bytes(), release="proofs")
    address = reverse("import-mapping", args=[upload.handle])
    form = carl.get(address).context["form"]
    carl.post(address, {name: value for name in form.fields if (value := form[name].value())})
    work_imports()
    for one in (whole, upload):
        one.refresh_from_db()
        assert [(fault["line"], fault["field"]) for fault in one.faults] == [(2, "text")]


def test_import_files_reads_an_archive_of_matharena_files(carl, proofs):
    files = {
        f"{solver}/{problem}__json": json.dumps(arena(problem, spoken("So $a<b$."), []))
        for solver in ("m1", "m2")
        for problem in (1, 2, 3)
    }
    upload = sent(carl, "import-files", "comp.zip", packed(**files), release="proofs")
    address = reverse("import-mapping", args=[upload.handle])
    form = carl.get(address).context["form"]
    carl.post(address, {name: value for name in form.fields if (value := form[name].value())})
    work_imports()
    applied(carl, upload)
    assert {system.slug for system in System.objects.all()} == {"m1", "m2"}
    assert Output.objects.filter(state="failed").count() == 6


def test_outputs_of_a_tool_are_no_new_study(carl, db):
    upload = sent(carl, "import-files", "log.eval", LOG.read_bytes(), name="new", protocol="proofs")
    page = carl.get(reverse("import-mapping", args=[upload.handle]))
    assert page.status_code == 400
    assert "Import their problems first" in page.content.decode()
