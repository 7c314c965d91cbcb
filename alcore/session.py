"""Ask and tell, for people who label for real: there is no hidden label, and labels come when they come."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from alcore import plugins
from alcore.dataset import encode, fingerprint, missing
from alcore.errors import InputError, StrategyError
from alcore.learners import Model
from alcore.pairing import as_recipe, as_strategy, refuse
from alcore.pool import Pool
from alcore.protocols import Strategy
from alcore.select import Ties
from alcore.state import State
from alcore.types import Floats, Labels, Rows, Task

FORMAT = 1


class Session:
    """Chooses rows to label, takes labels, and can be saved at any time.

    Parameters
    ----------
    X : array (n, ...), sparse matrix or DataFrame of n rows
        All rows, labelled or not. Rows are positions in it.
    strategy : name, decorated function, or object with ``query``
    learner : name, estimator, function that makes an estimator, or ``Recipe``
    classes : sequence
        All labels that can occur; for a multi-label task the names of the labels; empty for regression.
    y : array-like (n,) or None
        Labels known already, missing ones as None or NaN.
    task : Task
    seed : int
    ties : "random" or "first"
    cold_start : strategy or None
        Asked while nothing is labelled: "random" by default; None asks ``strategy`` itself.
    features : see ``Pool``

    Raises
    ------
    InputError, PairingError
        If an argument breaks a rule.

    Examples
    --------
    >>> import numpy as np, alcore
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> session = alcore.Session(X, strategy="margin", learner="logistic-regression", classes=["no", "yes"])
    >>> rows = session.ask(4)
    >>> session.tell(rows, ["yes" if X[row, 0] > 0 else "no" for row in rows])
    >>> session.n_labeled
    4
    """

    def __init__(
        self,
        X: Any,
        *,
        strategy: Any,
        learner: Any,
        classes: Sequence[Any] = (),
        y: Any = None,
        task: Task | str = Task.CLASSIFICATION,
        seed: int = 0,
        ties: Ties = "random",
        cold_start: Any = "random",
        features: Any = "standard",
    ) -> None:
        registry = plugins.loaded().registry
        self.pool = Pool(X, Task(task), classes, features=features)
        self.seed = seed
        self._ties: Ties = ties
        self._recipe = as_recipe(registry, learner, self.pool.task)
        if self._recipe.refit == "continue":
            raise InputError('a session fits from scratch, so that a saved one goes on equally; use refit="scratch".')
        spec, self._strategy = as_strategy(registry, strategy)
        self._cold_start = None if cold_start is None else as_strategy(registry, cold_start)[1]
        if spec is not None:
            refuse(registry, spec, self._recipe, self.pool)
        self._events: list[tuple[str, list[int], Any]] = []
        self._state = self._fresh()
        self._pending: list[int] = []
        if y is not None:
            self._tell_known(y)

    def _fresh(self) -> State:
        # Copies, so that a strategy's state can be built anew, and the caller's object stays as it was.
        chooser, cold = copy.deepcopy(self._strategy), copy.deepcopy(self._cold_start)
        return State(self.pool, chooser, self._recipe, seed=self.seed, ties=self._ties, cold_start=cold)

    def _tell_known(self, y: Any) -> None:
        values = np.asarray(y, dtype=object)
        known = np.flatnonzero(~(missing(values) if values.ndim == 1 else missing(values[:, 0])))
        if len(values) != len(self.pool):
            raise InputError(f"y has {len(values)} labels for {len(self.pool)} rows; give None where there is none.")
        if len(known):
            self.tell(known, values[known].tolist())

    def __repr__(self) -> str:
        return f"Session({self.n_labeled} of {len(self.pool)} rows labelled, {len(self._pending)} pending)"

    @property
    def strategy(self) -> Strategy:
        """The strategy at work."""
        return self._state.strategy

    @property
    def n_labeled(self) -> int:
        """How many rows are labelled."""
        return self._state.n_labeled

    @property
    def labeled(self) -> Rows:
        """The labelled rows, in the order in which they were told."""
        return self._state.labeled

    @property
    def pending(self) -> Rows:
        """The rows that were asked and not told yet; they are not asked again."""
        return np.array(self._pending, dtype=np.intp)

    @property
    def y(self) -> list[Any]:
        """The labels, aligned with ``labeled``, as they were told."""
        return self._decode(self._state.y)

    @property
    def model(self) -> Model:
        """The learner, fitted to all labels so far."""
        return self._state.model()

    def ask(self, n: int = 1) -> Rows:
        """Return the next ``n`` rows to label, or as many as can still be asked. Pending rows are not among them.

        Raises
        ------
        InputError
            If n is negative, or the strategy needs labels and there are none.
        StrategyError, LearnerError
            If the strategy or the learner fails; nothing is lost then.
        """
        if n < 0:
            raise InputError(f"n is {n}; ask for 0 rows or more.")
        rows = self._state.query(n)
        self._log("ask", rows)
        return rows

    def tell(self, rows: Any, labels: Any) -> None:
        """Take labels for rows, whether these were asked or not, all at once or in parts.

        Raises
        ------
        InputError
            If a row is labelled already (see ``relabel``) or outside X, or a label is not one of the classes. Then
            none of these labels is taken.
        """
        rows = self._rows(rows)
        codes = self._encode(labels, len(rows))
        done = np.isin(rows, self.labeled)
        if done.any():
            raise InputError(f"row {rows[done][0]} is labelled already; use relabel to change its label.")
        self._log("tell", rows, codes)

    def skip(self, rows: Any) -> None:
        """Never ask these rows again: nobody can label them. They may still be told."""
        self._log("skip", self._rows(rows))

    def release(self, rows: Any) -> None:
        """Give pending rows back, to be asked again."""
        rows = self._rows(rows)
        idle = [int(row) for row in rows if row not in self._pending]
        if idle:
            raise InputError(f"row {idle[0]} is not pending.")
        self._log("release", rows)

    def relabel(self, row: int, label: Any) -> None:
        """Change the label of a labelled row; a strategy's state becomes as if it had been so from the start.

        Raises
        ------
        InputError
            If the row is not labelled, or the label is not one of the classes.
        """
        code = self._encode([label], 1)[0]
        for position, (kind, rows, codes) in enumerate(self._events):
            if kind == "tell" and row in rows:
                changed = list(codes)
                changed[rows.index(row)] = _plain(code)
                self._events[position] = (kind, rows, changed)
                self._rebuild()
                return
        raise InputError(f"row {row} has no label to change; tell it first.")

    def predict(self, X: Any) -> list[Any]:
        """Return the learner's labels for these rows, as the caller names them."""
        return self._decode(self.model.predict(X))

    def scores(self) -> Floats:
        """Return the strategy's score of every row of X, larger = ask first; NaN where a row cannot be asked.

        Raises
        ------
        StrategyError
            If the strategy chooses rows without scoring them.
        """
        score = getattr(self.strategy, "scores", None)
        if score is None:
            raise StrategyError(f"{self._state.name} chooses rows without scoring them.")
        view = self._state.view()
        full = np.full(len(self.pool), np.nan)
        full[view.unlabeled] = score(view)
        return full

    def save(self, path: Path | str) -> None:
        """Write the session, without X and the models, as JSON: what was asked and told, in order, and the seed."""
        classes = [_plain(label) for label in self.pool.classes]
        about = {
            "format": FORMAT,
            "data": fingerprint(self.pool.X),
            "task": str(self.pool.task),
            "classes": classes,
            "seed": self.seed,
            "ties": self._ties,
            "events": self._events,
        }
        path = Path(path)
        temporary = path.with_name(f".{path.name}.tmp")
        try:
            temporary.write_text(json.dumps(about), encoding="utf8")
        except TypeError as error:
            raise InputError(
                f"the classes {classes} cannot be saved as JSON ({error}); use strings or numbers."
            ) from error
        temporary.replace(path)

    @classmethod
    def load(
        cls,
        path: Path | str,
        X: Any,
        *,
        strategy: Any,
        learner: Any,
        cold_start: Any = "random",
        features: Any = "standard",
    ) -> Self:
        """Return a saved session, which goes on as if it had never stopped; X, strategy and learner are given again.

        Raises
        ------
        InputError
            If the file is no session, or X is not the one it was saved with.
        """
        try:
            about = json.loads(Path(path).read_text(encoding="utf8"))
            events = [(kind, rows, codes) for kind, rows, codes in about["events"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is no saved session: {error}") from error
        if about["format"] != FORMAT:
            raise InputError(f"{path} has format {about['format']}; this alcore reads {FORMAT}.")
        session = cls(
            X,
            strategy=strategy,
            learner=learner,
            classes=about["classes"],
            task=about["task"],
            seed=about["seed"],
            ties=about["ties"],
            cold_start=cold_start,
            features=features,
        )
        if fingerprint(session.pool.X) != about["data"]:
            raise InputError(f"X is not the one that {path} was saved with; rows are positions in that X.")
        session._events = events
        session._rebuild()
        return session

    def _log(self, kind: str, rows: Rows, codes: Labels | None = None) -> None:
        event = (kind, rows.tolist(), None if codes is None else codes.tolist())
        self._apply(*event)
        self._events.append(event)

    def _rebuild(self) -> None:
        self._state, self._pending = self._fresh(), []
        for event in self._events:
            self._apply(*event)

    def _apply(self, kind: str, rows: list[int], codes: Any) -> None:
        state = self._state
        if kind == "tell":
            state.add(np.array(rows, dtype=np.intp), np.array(codes), start=True)
        elif kind == "release":
            state.open(rows)
        else:
            state.close(rows)
        if kind == "ask":
            self._pending += rows
            state.t += 1  # a round is an ask; labels may come later, or never
        else:
            self._pending = [row for row in self._pending if row not in rows]

    def _rows(self, rows: Any) -> Rows:
        given = np.atleast_1d(np.asarray(rows))
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise InputError(f"rows are integers, positions in X; given: {rows!r}.")
        outside = given[(given < 0) | (given >= len(self.pool))] if given.size else given
        if outside.size:
            raise InputError(f"row {outside[0]} is outside X, which has rows 0 to {len(self.pool) - 1}.")
        if len(np.unique(given)) != len(given):
            raise InputError("rows has a row twice.")
        return given.astype(np.intp)

    def _encode(self, labels: Any, n: int) -> Labels:
        labels = labels if np.ndim(labels) else [labels]
        if self.pool.task is Task.REGRESSION:
            codes = encode(labels, self.pool.task).codes
        else:
            codes = encode(labels, self.pool.task, self.pool.classes).codes
        if len(codes) != n:
            raise InputError(f"{len(codes)} labels for {n} rows; give one label per row.")
        return codes

    def _decode(self, codes: Labels) -> list[Any]:
        if self.pool.task is Task.CLASSIFICATION:
            return [self.pool.classes[code] for code in codes]
        decoded: list[Any] = codes.tolist()
        return decoded


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value.tolist() if isinstance(value, np.ndarray) else value
