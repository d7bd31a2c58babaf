"""Croissant metadata of a release: JSON-LD by which other tools find, cite and load its instances.

Croissant 1.0, http://mlcommons.org/croissant/1.0. It describes one file: that of benchmark.releases.instance_file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from accounts.refusal import Refused
from benchmark.models import Release, ReleaseDescription
from benchmark.releases.instance_file import MEDIA_TYPE, file_facts

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
FILE = "instances.jsonl"
CONTEXT: dict[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES: Mapping[type, str] = {str: "sc:Text", bool: "sc:Boolean", int: "sc:Integer", float: "sc:Float"}
_OWN = {
    "instance": "Key of the instance within the release",
    "domain": "Field of mathematics, as the release names it",
    "split": "Part of the release; empty when it has none",
}


def croissant(release: Release, *, page: str, file: str = FILE) -> dict[str, object]:
    """The metadata of a described release; `page` is its address, `file` that of its instances.

    Raises Refused while the release has no description.
    """
    description = ReleaseDescription.objects.filter(release=release).first()
    if description is None:
        raise Refused(
            f"{release.name} is not described: its licence, creators and date are required here.",
            code="not_described",
        )
    facts, count = file_facts(release), release.instances.count()
    fields = [_field(name, "sc:Text", words, {"column": name}) for name, words in _OWN.items()]
    if not release.instances.filter(paper=None).exists():
        fields.append(_nested("paper", "key", "sc:Text", "Key of the paper that the instance comes from"))
        fields.append(_nested("paper", "title", "sc:Text", "Title of that paper"))
    payloads = release.instances.values_list("payload", flat=True).iterator(chunk_size=500)
    for name, kind in sorted(payload_types(payloads).items()):
        fields.append(_nested("payload", name, kind, f"Field {name} of the published instance"))
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": release.name,
        "description": (
            f"Release {release.name} of {release.benchmark.name}: {count} instances. "
            f"SHA-256 of the content: {release.sha256}."
            + (" Sample data, written to show the platform." if release.is_sample else "")
        ),
        "url": description.homepage or page,
        "license": description.licence,
        "citeAs": description.citation or None,
        "creator": [{"@type": "sc:Person", "name": name} for name in description.creators.split("; ")],
        "datePublished": description.published_on.isoformat(),
        "version": description.version,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": FILE,
                "name": FILE,
                "description": "One instance a line, in the order of the keys.",
                "contentUrl": file,
                "contentSize": f"{facts.size} B",
                "encodingFormat": MEDIA_TYPE,
                "sha256": facts.sha256,
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "instances",
                "name": "instances",
                "description": "The problems of the release.",
                "key": {"@id": "instances/instance"},
                "field": fields,
            }
        ],
    }
    return {key: value for key, value in document.items() if value is not None}


def payload_types(payloads: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Paths such as "x.local" at which every payload has a scalar of one type, with that type.

    Others are left out, and so are lists and names that no JSON path can write plainly: they are in the file.
    """
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    total = 0
    for payload in payloads:
        total += 1
        for path, value in _scalars(payload):
            seen[path][_TYPES.get(type(value), "")] += 1
    return {
        path: kind for path, kinds in seen.items() for kind, count in kinds.items() if count == total and kind
    }


def _scalars(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for name, member in value.items():
        if not (name.isidentifier() and name.isascii()):
            continue
        if isinstance(member, Mapping):
            yield from _scalars(member, f"{path}{name}.")
        else:
            yield f"{path}{name}", member


def _nested(column: str, path: str, kind: str, words: str) -> dict[str, object]:
    name = f"{column}/{path.replace('.', '/')}"
    return _field(name, kind, words, {"column": column}, {"transform": {"jsonPath": path}})


def _field(
    name: str, kind: str, words: str, extract: dict[str, str], transform: dict[str, object] | None = None
) -> dict[str, object]:
    """A field of the record set. A line's own names are its columns; deeper ones take a JSON path as well."""
    return {
        "@type": "cr:Field",
        "@id": f"instances/{name}",
        "name": f"instances/{name}",
        "description": words,
        "dataType": kind,
        "source": {"fileObject": {"@id": FILE}, "extract": extract, **(transform or {})},
    }
