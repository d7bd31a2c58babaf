"""Files of queries and of ranked runs to records."""

from collections.abc import Iterator
from pathlib import Path

from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord, OutputRecord, PaperRecord
from benchmark.protocols.theorem_search.reported import NAME, reported_errors
from benchmark.protocols.theorem_search.runs import read_csv, read_trec
from benchmark.protocols.theorem_search.schema import Query, QueryLine, Ranking, RankingLine
from benchmark.protocols.theorem_search.showing import listed

_TREC = (".trec", ".run")
_FORMATS = (".jsonl", ".csv", *_TREC)


def read_release(path: Path) -> Iterator[InstanceRecord | RecordError]:
    """The queries of a JSONL file."""
    return read_records(path, QueryLine, _instance)


def read_outputs(path: Path) -> Iterator[OutputRecord | RecordError]:
    """The rankings of a run: JSON Lines, CSV (.csv) or TREC's format (.trec, .run).

    A folder contains one such file, and optionally reported.toml with the rates that the authors report, which are
    checked for being possible.
    """
    if not path.is_dir():
        yield from _run(path)
        return
    files = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    runs = [entry for entry in files if entry.suffix in _FORMATS]
    for entry in files:
        if entry not in runs and entry.name != NAME:
            yield RecordError(f"neither a run ({', '.join(_FORMATS)}) nor {NAME}", field=entry.name)
    if len(runs) != 1:
        yield RecordError(f"a folder must contain one run, this one contains {len(runs)}")
        return
    if path / NAME in files:
        yield from reported_errors(path / NAME)
    yield from _run(runs[0])


def _run(path: Path) -> Iterator[OutputRecord | RecordError]:
    if path.suffix != ".csv" and path.suffix not in _TREC:
        yield from read_records(path, RankingLine, _output)
        return
    for found in read_csv(path) if path.suffix == ".csv" else read_trec(path):
        yield found if isinstance(found, RecordError) else _output(*found)


def _instance(query: QueryLine, line: Line) -> InstanceRecord:
    first = query.targets[0]
    return InstanceRecord(
        key=query.instance_id,
        domain=query.domain,
        split=query.split,
        paper=PaperRecord(key=first.paper_key[:200], title=first.title),
        payload=line.fields(Query),
        line=line.number,
    )


def _output(ranking: RankingLine, line: Line) -> OutputRecord:
    return OutputRecord(
        instance=ranking.instance_id,
        state=ranking.state,
        text=listed(ranking.results) if ranking.results else "",
        text_format="latex",
        payload=line.fields(Ranking),
        line=line.number,
    )
