"""Make features of images or texts with a pretrained transformer: ``python -m alcore_benchmark.embeddings --help``.

The result is an .npz with X, float32 of shape (n, e), and y of shape (n,), in the order of the input: what the data
sets ``cifar-10`` and ``imdb`` read from the folder ALCORE_DATA, and what the data set ``file`` reads anywhere. Needs
``pip install torch transformers pillow``, and the model, which transformers downloads once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click
import numpy as np

from alcore import InputError, UnavailableError

Encode: TypeAlias = Callable[[Sequence[Any]], Any]
"""From a batch of images or texts to their features (batch, e)."""

MODELS = {"images": "google/vit-base-patch16-224-in21k", "texts": "bert-base-uncased"}
"""ViT and BERT with 768 features, as in the benchmark."""

SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".webp"}


def read_images(source: Path) -> tuple[Sequence[Any], Any]:
    """Return images and labels: of an .npz with X (n, height, width, 3), uint8, and y, or of a folder per class.

    Raises
    ------
    InputError
        If the source is neither.
    """
    if source.suffix == ".npz" and source.is_file():
        with np.load(source) as arrays:
            if not {"X", "y"} <= set(arrays) or arrays["X"].ndim != 4:
                raise InputError(f"{source} needs X of shape (n, height, width, 3) and y; it has {', '.join(arrays)}.")
            return list(arrays["X"]), arrays["y"]
    if not source.is_dir():
        raise InputError(f"{source} is neither an .npz nor a folder that has one folder of images per class.")
    files = sorted(file for file in source.glob("*/*") if file.suffix.lower() in SUFFIXES)
    if not files:
        raise InputError(f"{source} has no images in folders of their classes ({', '.join(sorted(SUFFIXES))}).")
    return files, np.array([file.parent.name for file in files])


def read_texts(source: Path, text: str, label: str) -> tuple[Sequence[str], Any]:
    """Return the texts and labels in two columns of a CSV file.

    Raises
    ------
    InputError
        If it cannot be read or lacks a column.
    """
    import pandas as pd

    try:
        frame = pd.read_csv(source, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {source}: {error}") from error
    for column in (text, label):
        if column not in frame:
            raise InputError(f"{source} has no column {column!r}; it has {', '.join(map(str, frame.columns))}.")
    return frame[text].tolist(), frame[label].to_numpy(str)


def embed(items: Sequence[Any], encode: Encode, batch: int) -> Any:
    """Return the features of all items, float32 (n, e), a batch at a time."""
    return np.concatenate([np.asarray(encode(part), dtype=np.float32) for part in _batches(items, batch)])


def _batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]


def encoder(kind: str, model: str) -> Encode:
    """Return what turns a batch into the model's features of its first token.

    Raises
    ------
    UnavailableError
        If torch, transformers or, for images, Pillow is not installed, or the model cannot be loaded.
    """
    try:
        import torch
        from transformers import AutoImageProcessor, AutoModel, AutoTokenizer
    except ImportError as error:
        raise UnavailableError(f"features need a package: pip install torch transformers pillow ({error})") from error
    maker = AutoImageProcessor if kind == "images" else AutoTokenizer
    try:
        prepare, network = maker.from_pretrained(model), AutoModel.from_pretrained(model)
    except OSError as error:
        raise UnavailableError(f"the model {model!r} is not here and cannot be downloaded: {error}") from error
    network.eval()

    def encode(items: Sequence[Any]) -> Any:
        if kind == "images":
            ready = prepare(images=[_image(item) for item in items], return_tensors="pt")
        else:
            ready = prepare(list(items), truncation=True, padding=True, max_length=512, return_tensors="pt")
        with torch.no_grad():
            return network(**ready).last_hidden_state[:, 0].numpy()

    return encode


def _image(item: Any) -> Any:
    from PIL import Image

    return (Image.open(item) if isinstance(item, Path) else Image.fromarray(item)).convert("RGB")


@click.command()
@click.argument("kind", type=click.Choice(list(MODELS)))
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The .npz to write.")
@click.option("--model", help="A model of transformers; by default ViT for images and BERT for texts.")
@click.option("--batch", default=64, show_default=True, type=click.IntRange(min=1), help="Items at a time.")
@click.option("--text", default="text", show_default=True, help="The column of the texts.")
@click.option("--label", default="label", show_default=True, help="The column of the labels.")
def main(kind: str, source: Path, output: Path, model: str | None, batch: int, text: str, label: str) -> None:
    """Write the features of the images or texts in SOURCE, and their labels."""
    try:
        items, y = read_images(source) if kind == "images" else read_texts(source, text, label)
        X = embed(items, encoder(kind, model or MODELS[kind]), batch)
    except (InputError, UnavailableError) as error:
        raise click.ClickException(str(error)) from error
    np.savez_compressed(output, X=X, y=y)
    click.echo(f"{output}: {X.shape[0]} rows, {X.shape[1]} features")


if __name__ == "__main__":
    main()
