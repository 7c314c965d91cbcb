"""Files that are damaged in any way either load or are refused by alcore's own error: the file, the rule, the fix.

``ALCORE_FUZZ=2000`` tries so many of each form. The long run was of the seeds 0 to 1999 of each of the 11 forms: 2,000
of 22,000 files loaded, and what was wrong with others is fixed. Seeds above 99 that found something are in ``FOUND``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import resource
import time
import warnings
from pathlib import Path

import pytest

from alcore import experiment, plugins
from alcore.builtin.datasets import files
from alcore.errors import InputError

SPEC = importlib.util.spec_from_file_location("mutations", Path(__file__).with_name("mutations.py"))
mutations = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mutations)

TRIES = int(os.environ.get("ALCORE_FUZZ", "100"))
FOUND: dict[str, list[int]] = {
    "csv": [110, 149],
    "arff": [118, 584],
    "sparse-arff": [137, 148],
    "predictions-csv": [265],
    "shares-csv": [1006],
    "toml": [312, 332, 1121, 1619, 1900],
}
SUFFIX = {
    "csv-gz": "csv.gz",
    "sparse-arff": "arff",
    "predictions-csv": "csv",
    "shares-csv": "csv",
    "predictions-npz": "npz",
}
TARGET = {"csv": "kind", "csv-gz": "kind", "arff": "kind", "sparse-arff": "kind", "parquet": "kind"}
HINT = re.compile(
    r"\b(give|mend|say|use|save|leave|write|replace|has to|missing; it|needs|must|name|did you mean|see|load|make|turn"
    r"|read|drop|raise|takes?|keys are|allowed|divide|apply|swap)\b",
    re.IGNORECASE,
)
SECONDS, BYTES = 5.0, 1_000_000_000


def read(form: str, path: Path) -> object:
    if form == "toml":
        return experiment.load(path, plugins.loaded())
    if form.startswith(("predictions", "shares")):
        return pytest.importorskip("alcore_modelselection").read_predictions(path)
    return files.load(path, TARGET.get(form))


def seeds(form: str) -> list[int]:
    return sorted({*range(TRIES), *FOUND.get(form, ())})


@pytest.mark.parametrize("form", mutations.WHOLE)
def test_a_whole_file_loads(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"whole.{SUFFIX.get(form, form)}"
    path.write_bytes(mutations.WHOLE[form]())
    assert read(form, path) is not None


@pytest.mark.parametrize("form", mutations.WHOLE)
def test_damaged_files_load_or_are_refused(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"odd.{SUFFIX.get(form, form)}"
    counts = {"loaded": 0, "refused": 0}
    wrong = []
    for seed in seeds(form):
        path.write_bytes(mutations.mutated(form, seed))
        fault = judged(form, path, counts)
        if fault:
            wrong.append(f"{form} {seed}: {fault}")
    print(f"{form}: {counts}")
    assert not wrong, "\n".join([*wrong[:20], f"{len(wrong)} in all"])


def judged(form: str, path: Path, counts: dict[str, int]) -> str | None:
    """Return what is wrong with how one file was read, or None."""
    start = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # weights and row numbers are told by warnings
            read(form, path)
        counts["loaded"] += 1
    except InputError as error:
        counts["refused"] += 1
        told = str(error)
        if path.name not in told:
            return f"no file in: {told[:300]}"
        if not HINT.search(told):
            return f"no fix in: {told[:300]}"
        if len(told) > 20_000:
            return f"{len(told)} characters: {told[:200]}"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        return f"{type(error).__name__}: {str(error)[:300]}"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    seconds = time.process_time() - start
    if grown > BYTES or seconds > SECONDS:
        return f"{seconds:.1f} s and {grown / 1e6:.0f} MB"
    return None
