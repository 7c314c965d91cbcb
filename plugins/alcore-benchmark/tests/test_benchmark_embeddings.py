"""Features of images and texts: read, encoded in batches, written as the data sets read them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from alcore import InputError, plugins
from alcore_benchmark import embeddings


@pytest.fixture
def images(tmp_path: Path) -> Path:
    X = np.random.default_rng(0).integers(256, size=(7, 4, 4, 3)).astype(np.uint8)
    np.savez(tmp_path / "images.npz", X=X, y=np.array(list("abababa")))
    return tmp_path / "images.npz"


def test_items_are_encoded_in_batches_and_in_order() -> None:
    sizes = []

    def encode(part):
        sizes.append(len(part))
        return [[float(item), 1.0] for item in part]

    X = embeddings.embed(list(range(7)), encode, 3)
    assert sizes == [3, 3, 1]
    assert X.dtype == np.float32
    assert X[:, 0].tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_what_is_written_is_what_the_data_set_file_reads(images, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        embeddings, "encoder", lambda kind, model: lambda part: [item.mean(axis=(0, 1)) for item in part]
    )
    result = CliRunner().invoke(embeddings.main, ["images", str(images), "-o", str(tmp_path / "out.npz")])
    assert result.output == f"{tmp_path / 'out.npz'}: 7 rows, 3 features\n"
    data = plugins.loaded().registry.build("dataset", "file", path=str(tmp_path / "out.npz"))
    assert data.X.shape == (7, 3)
    assert data.classes == ("a", "b")


def test_texts_are_two_columns(tmp_path) -> None:
    (tmp_path / "t.csv").write_text('text,label\n"good, really",pos\nNA,neg\n')
    texts, y = embeddings.read_texts(tmp_path / "t.csv", "text", "label")
    assert (texts, y.tolist()) == (["good, really", "NA"], ["pos", "neg"])
    with pytest.raises(InputError, match="has no column 'review'; it has text, label"):
        embeddings.read_texts(tmp_path / "t.csv", "review", "label")


def test_a_folder_per_class(tmp_path) -> None:
    for name in ("cat/b.png", "cat/a.png", "dog/c.JPG", "dog/readme.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    files, y = embeddings.read_images(tmp_path)
    assert [file.name for file in files] == ["a.png", "b.png", "c.JPG"]
    assert y.tolist() == ["cat", "cat", "dog"]
    with pytest.raises(InputError, match="has no images in folders of their classes"):
        embeddings.read_images(tmp_path / "cat")


@pytest.mark.skipif(importlib.util.find_spec("transformers") is not None, reason="transformers is installed")
def test_without_the_packages_it_says_what_to_install(images, tmp_path) -> None:
    result = CliRunner().invoke(embeddings.main, ["images", str(images), "-o", str(tmp_path / "out.npz")])
    assert result.exit_code == 1
    assert "pip install torch transformers pillow" in result.output
    assert not (tmp_path / "out.npz").exists()
