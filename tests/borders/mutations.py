"""Whole files, one of each form, and what a seed makes of them: bytes flipped, cut, doubled, odd fields, charsets."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable

import numpy as np
import pandas as pd

ODD = [
    b"", b"?", b"nan", b"inf", b"-inf", b"1e400", b"99999999999", b"-99999999999999999999", b"0", b"01", b"1,5", b"5%",
    b"1.234,5", b"'", b'"', b"%", b"{", b"}", b"@", b"#", b"\\", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9",
    "\u2028".encode(), b"2020-01-02", b"True", b"[1, 2]", b"NA", b"x" * 3000, b":", b"1:", b":1", b"1:2:3", b"-1:2",
    b"{0 1}", b"\t", b"[[[[", b"= =", b"1_000", b"0x10", b"\r", b"\n\n",
]  # fmt: skip


def csv() -> bytes:
    rows = [f"{i * 7 % 31},{i / 7:.3f},{['red', 'green', 'blue'][i % 3]},{'ab'[i % 2]}" for i in range(30)]
    return "\n".join(["size,width,colour,kind", *rows, ""]).encode()


def arff() -> bytes:
    rows = [
        f"{i * 7 % 31},{i / 7:.3f},{('red', chr(39) + 'light blue' + chr(39), '?')[i % 3]},{'ab'[i % 2]}"
        for i in range(30)
    ]
    head = "% made up\n@relation toy\n@attribute size numeric % years\n@attribute width real\n"
    head += "@attribute colour {red, 'light blue'}\n@attribute kind {a, b}\n@data\n"
    return (head + "\n".join(rows) + "\n").encode()


def sparse_arff() -> bytes:
    head = "@relation toy\n@attribute a numeric\n@attribute b numeric\n@attribute c {x, y}\n"
    head += "@attribute kind {p, q}\n@data\n"
    return (head + "\n".join(f"{{{i % 2} {i}, 2 y, 3 {'pq'[i % 2]}}}" for i in range(20)) + "\n").encode()


def libsvm() -> bytes:
    return "\n".join(f"{i % 2 * 2 - 1} 1:{i / 7:.3f} {i % 5 + 2}:1 # {i}" for i in range(30)).encode()


def npz() -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, X=np.arange(60.0).reshape(20, 3), y=np.arange(20) % 2)
    return stream.getvalue()


def parquet() -> bytes:
    stream = io.BytesIO()
    frame = pd.DataFrame({"size": np.arange(20) / 3, "colour": ["red", "blue"] * 10, "kind": list("ab") * 10})
    frame.to_parquet(stream)
    return stream.getvalue()


def packed() -> bytes:
    return gzip.compress(csv(), mtime=0)


def prediction_table() -> bytes:
    rows = [f"{i % 2},{i % 3 % 2},{(i + 1) % 2},{i % 2}" for i in range(20)]
    return "\n".join(["small,large,tuned,label", *rows, ""]).encode()


def prediction_shares() -> bytes:
    rows = [f"{i / 20:.2f},{1 - i / 20:.2f},0.25,0.75" for i in range(20)]
    return "\n".join(["small:no,small:yes,large:no,large:yes", *rows, ""]).encode()


def prediction_npz() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, hard=np.arange(60).reshape(3, 20) % 2, labels=np.arange(20) % 2, C=2)
    return stream.getvalue()


def toml() -> bytes:
    return b"""\
name = "toy"
datasets = ["synthetic.clouds", { name = "sklearn.iris", label = "flowers" }]
strategies = ["random", { name = "margin" }]
learners = ["gaussian-nb", { query = "logistic-regression", task = "gaussian-nb" }]
seeds = [0, 1]
batch = 2
budget = 10
metrics = { round = ["accuracy"] }
[split]
test_size = 0.4
[start]
size = 4
[limits]
seconds = 60
"""


TEXT = {"csv": csv, "arff": arff, "sparse-arff": sparse_arff, "libsvm": libsvm, "predictions-csv": prediction_table}
TEXT |= {"shares-csv": prediction_shares, "toml": toml}
BINARY: dict[str, Callable[[], bytes]] = {
    "npz": npz,
    "parquet": parquet,
    "csv-gz": packed,
    "predictions-npz": prediction_npz,
}
WHOLE = TEXT | BINARY
"""Every form by name, with the function that makes the whole file."""


def mutated(form: str, seed: int) -> bytes:
    """Return the file of this form after one to four mutations, which the seed alone decides."""
    chance = random.Random(f"{form} {seed}")
    content = bytearray(WHOLE[form]())
    ways = [*COMMON, *(OF_TEXT if form in TEXT else OF_BYTES)]
    for _ in range(chance.randint(1, 4)):
        content = bytearray(chance.choice(ways)(content, chance))
    return bytes(content)


def flip(content: bytearray, chance: random.Random) -> bytes:
    for _ in range(chance.choice([1, 1, 3, 20])):
        if content:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content)


def cut(content: bytearray, chance: random.Random) -> bytes:
    return bytes(content[: chance.randrange(len(content) + 1)])


def remove(content: bytearray, chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    del content[start : start + chance.choice([1, 2, 10, 100])]
    return bytes(content)


def double(content: bytearray, chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    part = content[start : start + chance.choice([1, 5, 50, 500])]
    return bytes(content[:start] + part * chance.choice([2, 2, 10]) + content[start:])


def insert(content: bytearray, chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    return bytes(content[:start] + chance.choice(ODD) + content[start:])


def noise(content: bytearray, chance: random.Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    return bytes(content[:start] + chance.randbytes(chance.choice([1, 4, 40])) + content[start + 4 :])


def lines(content: bytearray, chance: random.Random) -> bytes:
    rows = bytes(content).split(b"\n")
    i, j = chance.randrange(len(rows)), chance.randrange(len(rows))
    rows[i], rows[j] = rows[j], chance.choice([rows[i], rows[j], b"", rows[i] * 2])
    return b"\n".join(rows)


def field(content: bytearray, chance: random.Random) -> bytes:
    rows = bytes(content).split(b"\n")
    i = chance.randrange(len(rows))
    for separator in chance.sample([b",", b" ", b":", b"="], 4):
        parts = rows[i].split(separator)
        if len(parts) > 1:
            parts[chance.randrange(len(parts))] = chance.choice(ODD)
            rows[i] = separator.join(parts)
            break
    return b"\n".join(rows)


def column(content: bytearray, chance: random.Random) -> bytes:
    """Put one odd value in the same column of every line."""
    odd, at = chance.choice(ODD), chance.randrange(5)
    rows = [row.split(b",") for row in bytes(content).split(b"\n")]
    return b"\n".join(b",".join(odd if i == at else part for i, part in enumerate(row)) for row in rows)


def charset(content: bytearray, chance: random.Random) -> bytes:
    text = bytes(content).decode("latin-1")
    return text.encode(chance.choice(["utf-16", "utf-16-le", "utf-8-sig", "utf-32", "cp500"]), errors="replace")


def separators(content: bytearray, chance: random.Random) -> bytes:
    old, new = chance.choice(
        [(b",", b";"), (b",", b"\t"), (b"\n", b"\r"), (b"\n", b"\r\n"), (b",", b", ,"), (b".", b",")]
    )
    return bytes(content).replace(old, new)


def ends(content: bytearray, chance: random.Random) -> bytes:
    return bytes(content).replace(b"\n", chance.choice([b",\n", b" \n", b";\n", b" % x\n", b" # x\n", b",{5}\n"]))


COMMON = [flip, cut, remove, double, insert, noise]
OF_TEXT = [lines, field, field, field, column, charset, separators, ends]
OF_BYTES = [flip, flip, noise]
