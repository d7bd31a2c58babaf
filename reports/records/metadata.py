"""How to cite and find a record: Croissant, DataCite, CITATION.cff, BibTeX and a citation in words. Pure.

Croissant 1.0 (http://mlcommons.org/croissant/1.0), DataCite 4.5 (https://schema.datacite.org/meta/kernel-4.5/),
Citation File Format 1.2.0 (https://citation-file-format.github.io). Whatever people wrote is written as JSON, also in
CITATION.cff: a double-quoted text of JSON is one of YAML, so no title can become a key.
"""

import hashlib
import json
import re
from collections.abc import Mapping

from benchmark.describing.croissant import CONFORMS_TO, CONTEXT
from reports.records.declared import Declared
from reports.records.tables import latex_text

# Identifiers of SPDX in common use; CITATION.cff allows no other words as a licence.
_SPDX = frozenset(
    [
        *("MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MPL-2.0", "Unlicense"),
        *("GPL-2.0-only", "GPL-3.0-only", "GPL-3.0-or-later", "LGPL-3.0-only", "AGPL-3.0-or-later"),
        *("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0"),
        *("CC-BY-NC-ND-4.0", "CC-BY-3.0", "CC-BY-SA-3.0", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0"),
    ]
)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".md": "text/markdown; charset=utf-8",
    ".tex": "text/x-tex; charset=utf-8",
    ".bib": "text/x-bibtex; charset=utf-8",
    ".cff": "text/yaml; charset=utf-8",
    ".toml": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".atom": "application/atom+xml",
    ".zip": "application/zip",
    "": "text/plain; charset=utf-8",
}


def year(declared: Declared) -> str:
    return declared.published_on[:4]


def citation(declared: Declared) -> str:
    """One line for a reference list."""
    where = f"doi:{declared.doi}" if _DOI.fullmatch(declared.doi) else declared.address
    return f"{declared.author_line}. {declared.title}, version {declared.version}. {year(declared)}. {where}"


def bibtex(declared: Declared) -> bytes:
    said = {
        "title": f"{{{latex_text(declared.title)}}}",
        "author": " and ".join(f"{{{latex_text(name)}}}" for name in declared.authors),
        "year": year(declared),
        "version": str(declared.version),
        "howpublished": f"\\url{{{declared.address}}}",
        **({"doi": latex_text(declared.doi)} if declared.doi else {}),
    }
    lines = [f"@misc{{{declared.name}-{declared.version},"]
    lines += [f"  {key} = {{{value}}}," for key, value in said.items()]
    return ("\n".join([*lines, "}"]) + "\n").encode()


def citation_cff(declared: Declared) -> bytes:
    said: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": declared.title,
        "version": str(declared.version),
        "date-released": declared.published_on,
        "url": declared.address,
        "authors": [{"name": name} for name in declared.authors],
    }
    if declared.licence in _SPDX:
        said["license"] = declared.licence
    elif declared.licence.startswith(("https://", "http://")):
        said["license-url"] = declared.licence
    if _DOI.fullmatch(declared.doi):
        said["doi"] = declared.doi
    lines = [f"{key}: {json.dumps(value, ensure_ascii=True)}" for key, value in said.items()]
    return ("\n".join(lines) + "\n").encode()


def datacite(declared: Declared, finding: str) -> bytes:
    """The attributes that DataCite takes, as JSON of its schema 4.5."""
    document: dict[str, object] = {
        "types": {"resourceType": "Audited scores", "resourceTypeGeneral": "Dataset"},
        "creators": [{"name": name} for name in declared.authors],
        "titles": [{"title": declared.title}],
        "publisher": {"name": "Touchstone"},
        "publicationYear": year(declared),
        "dates": [{"date": declared.published_on, "dateType": "Issued"}],
        "language": "en",
        "version": str(declared.version),
        "url": declared.address,
        "rightsList": [
            {
                "rights": declared.licence,
                "rightsIdentifier": declared.licence,
                "rightsIdentifierScheme": "SPDX",
            }
            if declared.licence in _SPDX
            else {"rights": declared.licence}
        ],
        "descriptions": [{"description": finding, "descriptionType": "Abstract", "lang": "en"}],
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
    if _DOI.fullmatch(declared.doi):
        document["doi"] = declared.doi
        document["identifiers"] = [{"identifier": declared.doi, "identifierType": "DOI"}]
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def croissant(
    declared: Declared, finding: str, files: Mapping[str, bytes], columns: Mapping[str, list[str]]
) -> bytes:
    """Croissant metadata of the `files`; `columns` are those of the tables among them, all of text."""
    base = declared.address
    tables = []
    for name, heads in columns.items():
        table = f"{base}#{name.partition('.')[0]}"
        tables.append(
            {
                "@type": "cr:RecordSet",
                "@id": table,
                "name": name.partition(".")[0],
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"{table}/{head}",
                        "name": f"{name.partition('.')[0]}/{head}",
                        "description": f"Column {head} of {name}",
                        "dataType": "sc:Text",
                        "source": {"fileObject": {"@id": f"{base}{name}"}, "extract": {"column": head}},
                    }
                    for head in heads
                ],
            }
        )
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "@id": base,
        "conformsTo": CONFORMS_TO,
        "name": declared.title,
        "description": finding,
        "url": base,
        "license": declared.licence,
        "citeAs": bibtex(declared).decode(),
        "creator": [{"@type": "sc:Person", "name": name} for name in declared.authors],
        "datePublished": declared.published_on,
        "version": f"{declared.version}.0.0",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": f"{base}{name}",
                "name": name,
                "contentUrl": f"{base}{name}",
                "contentSize": f"{len(content)} B",
                "encodingFormat": media_type(name).partition(";")[0],
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for name, content in sorted(files.items())
        ],
        "recordSet": tables,
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def media_type(name: str) -> str:
    """Of a file of a record, by its ending."""
    dot = name.rfind(".")
    return MEDIA_TYPES.get(name[dot:] if dot > 0 else "", MEDIA_TYPES[""])
