"""Tables of predictions: a column per model, or per model and class. What is no model is refused by name."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alcore.builtin.datasets.content import read_parquet, read_text, reading
from alcore.errors import InputError, did_you_mean
from alcore_modelselection.predictions import Predictions

TRUTHS = frozenset({"label", "labels", "truth", "target", "true", "y", "y_true", "gold", "class", "ground_truth"})
"""Names, in lower case, under which people keep true labels."""

NO_MODELS = frozenset({"", "id", "idx", "index", "row", "rows", "row_id", "fold", "folds", "split", "part", "seed"})
"""Names, in lower case, under which people keep what is no model's prediction."""

_PROBABILITIES = re.compile(r"\[?\s*[\d.eE+-]+(\s*[;, ]\s*[\d.eE+-]+)+\s*\]?")


def read_table(
    file: Path,
    labels: str | None,
    ignore: set[str],
    models: Sequence[str],
    *,
    normalise: bool,
    separator: str,
    limit: float,
) -> Predictions:
    """Return the predictions in a CSV or Parquet file; see ``read_predictions``."""
    frame = read_parquet(file, limit) if file.suffix == ".parquet" else _csv(file, separator, limit)
    columns = [str(name).strip() for name in frame.columns]
    frame.columns = columns
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{file} has two columns called {twice!r}; names must differ.")
    truth_column = labels or ("label" if "label" in columns and "label" not in {*ignore, *models} else None)
    for name in [*ignore, *models, *([truth_column] if truth_column else [])]:
        if name not in columns:
            hint = did_you_mean(name, columns)
            raise InputError(f"{file} has no column {name!r}; its columns are {', '.join(columns[:20])}.{hint}")
    chosen = list(models) or [name for name in columns if name not in ignore and name != truth_column]
    if not chosen or frame.empty:
        raise InputError(f"{file} has no predictions: give a table of one column per model and one row per row.")
    if not models:
        _refuse_by_name(file, chosen, labelled=truth_column is not None)
    truth = None if truth_column is None else frame[truth_column].to_numpy(dtype=object)
    if all(":" in name for name in chosen):
        return _columns_of_probabilities(file, frame, chosen, truth, normalise)
    if all(isinstance(frame[name].iloc[0], list | np.ndarray) for name in chosen):
        return _lists(file, frame, chosen, truth, normalise)
    votes = [frame[name].to_numpy(dtype=object) for name in chosen]
    for name, vote in zip(chosen, votes, strict=True):
        _check_votes(file, name, vote)
    votes, truth = _as_numbers(votes, truth)
    if not models:
        _refuse_strangers(file, chosen, votes, truth)
    return Predictions(np.stack(votes), labels=truth, models=chosen)


def _csv(file: Path, separator: str, limit: float) -> Any:
    """Return a table whose fields are all text, as they are written."""
    import pandas as pd

    if not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n':
        raise InputError(f"{file}: the separator is {separator!r}; give one character, such as ';'.")
    text = read_text(file, "a table", None, limit)
    with reading(file, "a table"):
        frame = pd.read_csv(
            io.StringIO(text), sep=separator, dtype=str, keep_default_na=False, na_filter=False, index_col=False,
            skipinitialspace=True,
        )  # fmt: skip
    if frame.shape[1] == 1 and (sign := next((s for s in ";\t|" if s in str(frame.columns[0])), None)):
        raise InputError(
            f"{file} has a single column, {str(frame.columns[0])[:60]!r}; if {sign!r} divides its fields, say so: "
            f"separator={sign!r} (--separator on the command line)."
        )
    frame.columns = ["" if str(name).startswith("Unnamed: ") else name for name in frame.columns]
    return frame.map(str.strip)


def _refuse_by_name(file: Path, columns: Sequence[str], *, labelled: bool) -> None:
    """Refuse what by its name is no model: row numbers, folds, true labels under another name."""
    for name in columns:
        if name.lower() in NO_MODELS:
            raise InputError(
                f"{file}: column {name!r} is no model by its name. Leave it out (ignore=[{name!r}], --ignore on the "
                "command line), or if it is one, name all models: models=[...], --model."
            )
        if name.lower() in TRUTHS:
            leave_out = f"ignore=[{name!r}] (--ignore)"
            use = leave_out if labelled else f"labels={name!r} (--labels) or {leave_out}"
            raise InputError(
                f"{file}: column {name!r} has the true labels by its name, so it is no model. Give {use}; if it is "
                "one, name all models: models=[...], --model."
            )


def _refuse_strangers(
    file: Path, models: Sequence[str], votes: Sequence[NDArray[Any]], truth: NDArray[Any] | None
) -> None:
    """Refuse a column of which most values are in no other, such as row numbers or the text of the rows."""
    values = [set(v.tolist()) for v in votes]
    known = set() if truth is None else set(truth.tolist())
    for k, name in enumerate(models):
        others = known.union(*(v for j, v in enumerate(values) if j != k))
        own = values[k] - others
        strange = own == values[k] or (len(own) > 3 and 2 * len(own) > len(values[k]))
        if strange and (len(models) > 2 or truth is not None):
            raise InputError(
                f"{file}: column {name!r} shares {'no value' if own == values[k] else 'few values'} with any other "
                "column, so it is no model's predictions; leave it out (ignore=[...], --ignore on the command line), "
                "or name all models: models=[...], --model."
            )


def _check_votes(file: Path, name: str, votes: NDArray[Any]) -> None:
    gone = [row for row, vote in enumerate(votes) if vote is None or vote == "" or vote != vote]
    if gone:
        raise InputError(
            f"{file}: model {name!r} has no prediction for row {gone[0]} ({len(gone)} in all); every model predicts "
            f"every row. Fill it, or leave the model out: ignore=[{name!r}], --ignore."
        )
    if all(isinstance(vote, str) and _PROBABILITIES.fullmatch(vote) for vote in votes):
        raise InputError(
            f"{file}: column {name!r} holds lists of probabilities as text, such as {votes[0][:40]!r}. Give a column "
            "for each model and class, named model:class, or lists in Parquet."
        )


def _as_numbers(
    votes: list[NDArray[Any]], truth: NDArray[Any] | None
) -> tuple[list[NDArray[Any]], NDArray[Any] | None]:
    """Return labels as numbers if all of them are, written as Python does; an unknown true label becomes None."""
    if truth is not None:
        truth = np.array([None if label in ("", None) or label != label else label for label in truth], dtype=object)
    known = [*votes, *([] if truth is None else [truth[[label is not None for label in truth]]])]
    different = {label for column in known for label in column.tolist()}
    number = {label: value for label in different if (value := _number(label)) is not None}
    if len(number) < len(different):
        if all(isinstance(label, str) for label in different):
            return [vote.astype(str) for vote in votes], truth
        return votes, truth
    whole = all(isinstance(value, int) for value in number.values())
    kind = np.int64 if whole and all(abs(value) < 2**62 for value in number.values()) else np.float64
    votes = [np.array([number[label] for label in vote], dtype=kind) for vote in votes]
    if truth is not None:
        truth = np.array([None if label is None else kind(number[label]).item() for label in truth], dtype=object)
    return votes, truth


def _number(label: Any) -> int | float | None:
    """Return the number that a label is, or that a text is, written as Python does; ``01`` and ``1e3`` are none."""
    if isinstance(label, bool | np.bool_):
        return None
    if isinstance(label, int | np.integer):
        return int(label)
    if isinstance(label, float | np.floating):
        return float(label)
    if isinstance(label, str):
        for kind in (int, float):
            try:
                value = kind(label)
            except ValueError:
                continue
            if str(value) == label and abs(value) < 2**63:
                return value
    return None


def _lists(file: Path, frame: Any, models: Sequence[str], truth: NDArray[Any] | None, normalise: bool) -> Predictions:
    with reading(file, "lists of probabilities"):
        lengths = {len(one) for name in models for one in frame[name]}
        if len(lengths) > 1:
            raise InputError(
                f"{file}: the lists of probabilities differ in length ({sorted(lengths)}); give one number per class."
            )
        values = np.stack([np.stack(frame[name].map(np.asarray).tolist()) for name in models])
    return Predictions(values, labels=_truth(truth), models=models, normalise=normalise)


def _truth(truth: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if truth is None else _as_numbers([], truth)[1]


def _columns_of_probabilities(
    file: Path, frame: Any, columns: Sequence[str], truth: NDArray[Any] | None, normalise: bool
) -> Predictions:
    classes: dict[str, list[str]] = {}
    for name in columns:
        model, _, label = name.rpartition(":")
        classes.setdefault(model, []).append(label)
    first = next(iter(classes.values()))
    for model, own in classes.items():
        if sorted(own) != sorted(first):
            raise InputError(f"{file}: model {model!r} has the classes {own}, others have {first}; they must agree.")
    values = np.stack([np.column_stack([_share(file, frame, f"{model}:{c}") for c in first]) for model in classes])
    truth, names = _truth(truth), np.asarray(first)
    known = [] if truth is None else [label for label in truth if label is not None]
    if known and not any(isinstance(label, str) for label in known):  # column names are text, labels are numbers
        numbers = [_number(label) for label in first]
        if None in numbers:
            raise InputError(
                f"{file}: the true labels are numbers, such as {known[0]!r}, but the classes are called {first}; give "
                "the labels by these names."
            )
        names = np.asarray(numbers)
    return Predictions(values, labels=truth, classes=names, models=list(classes), normalise=normalise)


def _share(file: Path, frame: Any, column: str) -> NDArray[np.float64]:
    """Return one column of probabilities."""
    shares = np.empty(len(frame))
    for row, written in enumerate(frame[column].tolist()):
        try:
            shares[row] = float(written)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{file}: column {column!r} holds {str(written)[:30]!r} in row {row}, which is no probability; write "
                "numbers with a point, such as 0.25."
            ) from error
    return shares
