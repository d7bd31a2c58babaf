"""The local model: tokens, a forward pass that is worked out by hand, and refusals.

The weights are 83 MB and are not installed for the tests; the model here is one of two dimensions. With the real
weights, `python -m bench.search --meaning` measures it, and its tokens were equal to those of the package tokenizers
0.23.3 on 5,298 texts (all statements of the developers' sets, as LaTeX and as words, and the Big List of Naughty
Strings).
"""

import json
import math

import numpy as np
import pytest

from retrieval import local
from retrieval.local import MiniLM, NotInstalled, opened, tensors
from retrieval.recipes import Model

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "comp", "##act", "##ness", "space", ",", "中", "naive"]
SMALL = Model("small", "0" * 64, 2, max_tokens=8)


def small(**changed) -> MiniLM:
    """One layer of two dimensions in which nothing happens: all its products are zero."""
    zero, one = np.zeros, np.ones
    layer = "encoder.layer.0"
    weights = {
        "embeddings.word_embeddings.weight": np.array([[n, -n] for n in range(len(PIECES))], np.float32),
        "embeddings.position_embeddings.weight": zero((8, 2), np.float32),
        "embeddings.token_type_embeddings.weight": zero((2, 2), np.float32),
        f"{layer}.intermediate.dense.weight": zero((3, 2), np.float32),
        f"{layer}.intermediate.dense.bias": zero(3, np.float32),
        f"{layer}.output.dense.weight": zero((2, 3), np.float32),
        f"{layer}.output.dense.bias": zero(2, np.float32),
        f"{layer}.attention.output.dense.weight": zero((2, 2), np.float32),
        f"{layer}.attention.output.dense.bias": zero(2, np.float32),
    }
    for part in ("query", "key", "value"):
        weights[f"{layer}.attention.self.{part}.weight"] = zero((2, 2), np.float32)
        weights[f"{layer}.attention.self.{part}.bias"] = zero(2, np.float32)
    for name in ("embeddings.LayerNorm", f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"):
        weights[f"{name}.weight"], weights[f"{name}.bias"] = one(2, np.float32), zero(2, np.float32)
    return MiniLM(weights | changed, PIECES, SMALL, heads=1)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Compactness", ["comp", "##act", "##ness"]),
        ("compact,space", ["comp", "##act", ",", "space"]),
        ("naïve", ["naive"]),
        ("中中", ["中", "中"]),
        ("compost", ["[UNK]"]),
        ("space\x00\u200b space", ["space", "space"]),
        ("", []),
        ("a" * 101, ["[UNK]"]),
        ("space " * 20, ["space"] * 6),
    ],
)
def test_a_text_is_cut_into_the_longest_pieces_that_the_vocabulary_has(text, pieces):
    assert [PIECES[n] for n in small().tokens(text)] == ["[CLS]", *pieces, "[SEP]"]


def test_the_vector_is_the_normed_mean_of_the_tokens():
    """Every token is (n, -n), which its layer norm makes (1, -1): scaled to length 1, (.7071, -.7071)."""
    assert small()(["space"]) == pytest.approx(np.array([[math.sqrt(0.5), -math.sqrt(0.5)]]), abs=1e-5)


def test_attention_feed_forward_and_their_biases_take_part():
    """With a bias of (0, 4) the layer norms see (1, 3), not (1, -1), and turn the sign: (-1, 1)."""
    for name in ("attention.output", "output"):
        turned = small(**{f"encoder.layer.0.{name}.dense.bias": np.array([0, 4], np.float32)})
        assert turned(["space"])[0, 1] == pytest.approx(math.sqrt(0.5), abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_next_to_others():
    model = small()
    assert (model(["space"])[0] == model(["compactness, space", "space"])[1]).all()
    assert model([]).shape == (0, 2)


def test_gelu_is_x_times_the_normal_distribution_function():
    x = np.linspace(-6, 6, 101, dtype=np.float32)
    expected = [float(of) * 0.5 * (1 + math.erf(float(of) / math.sqrt(2))) for of in x]
    assert local.gelu(x) == pytest.approx(np.array(expected), abs=2e-6)


def test_tensors_are_read_by_their_offsets():
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [4, 12]},
            "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 4]},
        }
    ).encode()
    content = len(header).to_bytes(8, "little") + header + np.array([9, 1, 2], "<f4").tobytes()
    assert {name: of.tolist() for name, of in tensors(content).items()} == {"a": [[1.0], [2.0]]}


def test_without_the_weights_opening_is_refused(monkeypatch):
    monkeypatch.setattr(local, "PACKAGE", "no_such_package")
    with pytest.raises(NotInstalled, match=r"requirements-search\.txt"):
        opened()


def test_other_weights_are_refused(tmp_path):
    with pytest.raises(NotInstalled, match=r"model\.safetensors is missing"):
        opened(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    with pytest.raises(NotInstalled, match="SHA-256"):
        opened(tmp_path)
