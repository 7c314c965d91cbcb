"""What would take much more memory than its file is refused before memory is asked for."""

from __future__ import annotations

import gzip
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from alcore.builtin.datasets import content, files
from alcore.errors import InputError


def refuses(message, path, *args, **options):
    with pytest.raises(InputError, match=message) as caught:
        files.load(path, *args, **options)
    assert path.name in str(caught.value)


def test_a_packed_file_is_unpacked_within_bounds(write):
    path = write("bomb.csv.gz", gzip.compress(b"x,y\n" + b"0,a\n" * 500_000, mtime=0))
    refuses(r"unpacks to [12] MB or more, from 0\.0 MB.*raise the limit \(now 1 MB\): limit=2", path, "y", limit=1)
    assert len(files.load(path, "y", limit=3)) == 500_000
    refuses("limit is -1; give the megabytes", path, "y", limit=-1)


def test_what_packs_as_data_do_is_read_whatever_the_limit(write):
    text = "x,y\n" + "".join(f"{x!r},{x > 0}\n" for x in np.random.default_rng(0).normal(size=3000).tolist())
    assert len(files.load(write("toy.csv.gz", gzip.compress(text.encode())), "y", limit=0.01)) == 3000


def header(shape, dtype="<f8"):
    about = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(about).to_bytes(2, "little") + about.encode() + b"\0" * 64


def test_headers_that_promise_too_much(tmp_path):
    for shape, message in (
        ("(1000000000000,)", "8000000000000 bytes, and holds"),
        ("(-1, 2)", "says that it has shape"),
    ):
        with zipfile.ZipFile(tmp_path / "toy.npz", "w") as archive:
            archive.writestr("X.npy", header(shape))
            archive.writestr("y.npy", header("(8,)"))
        refuses(message, tmp_path / "toy.npz")


def test_an_archive_that_unpacks_to_too_much(tmp_path):
    np.savez_compressed(tmp_path / "toy.npz", X=np.zeros((100_000, 3)), y=np.arange(100_000) % 2)
    refuses(r"array 'X', would take 2 MB.* limit=3", tmp_path / "toy.npz", limit=1)
    assert len(files.load(tmp_path / "toy.npz", limit=3)) == 100_000


def test_parquet_that_unpacks_to_too_much(tmp_path):
    pd.DataFrame({"x": np.zeros(200_000), "y": np.zeros(200_000, dtype=int)}).to_parquet(tmp_path / "toy.parquet")
    refuses(r"would take 3 MB.* limit=4", tmp_path / "toy.parquet", "y", limit=1)


def test_the_bound_is_kept_while_unpacking(write, monkeypatch):
    monkeypatch.setattr(content, "_CHUNK", 1000)
    path = write("bomb.csv.gz", gzip.compress(b"0" * 50_000_000, mtime=0))
    with pytest.raises(InputError, match=re.escape("unpacks to 2 MB or more")):
        content.read_bytes(path, "text", limit=2)
