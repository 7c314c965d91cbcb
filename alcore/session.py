"""Ask and tell, for people who label for real: there is no hidden label, and labels come when they come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np

from alcore import plugins, saved
from alcore.answers import as_classes, as_codes, as_known, as_rows, as_told, sampled
from alcore.dataset import fingerprint
from alcore.errors import AlcoreError, InputError, PairingError, StrategyError
from alcore.learners import Lent, Model, steady
from alcore.pairing import as_count, as_recipe, as_strategy, as_task, copied, refuse
from alcore.pool import Pool, addressable, alike
from alcore.protocols import NeedsTruth, Strategy
from alcore.select import Ties
from alcore.state import State, blame
from alcore.threads import checked, limited
from alcore.types import Floats, Labels, Rows, Task

AS_SAVED = "as saved"


class Session:
    """Chooses rows to label, takes labels, and can be saved at any time.

    What fails (a wrong label, a strategy that raises, Ctrl-C) changes nothing.

    Parameters
    ----------
    X : array (n, ...), sparse matrix or DataFrame of n rows
        All rows, labelled or not. Rows are positions in it, as ``X.iloc`` takes them.
    strategy : name, decorated function, or object with ``query``, which is copied
    strategy_params : mapping or None
        The strategy's parameters, where it is no object.
    learner : name, estimator, function that makes an estimator, or ``Recipe``
    classes : sequence
        All labels that can occur; for a multi-label task the names of the labels; empty for regression.
    y : array-like (n,) or None
        Labels known already, missing ones as None or NaN.
    task : Task
    seed : int
    ties : "random", "first" or "exact"
    cold_start : strategy or None
        Asked while nothing is labelled: "random" by default; None asks ``strategy`` itself.
    features : see ``Pool``
    threads : int or None
        BLAS/OpenMP threads while the session works; None leaves them as they are. It is not saved.

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
        strategy_params: Mapping[str, Any] | None = None,
        classes: Sequence[Any] = (),
        y: Any = None,
        task: Task | str = Task.CLASSIFICATION,
        seed: int = 0,
        ties: Ties = "random",
        cold_start: Any = "random",
        features: Any = "standard",
        threads: int | None = 1,
    ) -> None:
        registry = plugins.loaded().registry
        self.threads = checked(threads)
        task = as_task(task)
        self.pool = Pool(X, task, as_classes(classes, task), features=features)
        self.seed = as_count("seed", seed)
        self._ties: Ties = ties
        self._given = {"cold_start": cold_start, "features": features}
        self._recipe = steady(as_recipe(registry, learner, task))
        self._spec, self._strategy = as_strategy(registry, strategy, strategy_params)
        cold_spec, cold = (None, None) if cold_start is None else as_strategy(registry, cold_start)
        self._cold_start: Strategy | None = cold
        for one in (self._strategy, self._cold_start):
            if isinstance(one, NeedsTruth):
                raise PairingError(
                    f"{type(one).__name__} is an upper bound that sees hidden labels; a session has none. "
                    "Use alcore.simulate, or another strategy."
                )
        refuse(registry, self._spec, self._recipe, self.pool, cold_start=cold_spec)
        self._events: list[tuple[str, list[int], Any]] = []
        self._sample = sampled(self.pool)
        self._rebuild()
        if y is not None:
            self.tell(*as_known(self.pool, y))

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
        return np.array([*self._pending], dtype=np.intp)

    @property
    def skipped(self) -> Rows:
        """The rows that were skipped and not told since; they are not asked again."""
        return np.array([*self._skipped], dtype=np.intp)

    @property
    def y(self) -> list[Any]:
        """The labels, aligned with ``labeled``, as they were told."""
        return as_told(self.pool, self._state.y)

    @property
    def model(self) -> Model:
        """The learner, fitted to all labels so far, to predict with; InputError if there are none."""
        return Lent(self._model)

    @property
    def _model(self) -> Model:
        if not self._state.can_fit(self._recipe):
            raise InputError("no row is labelled yet, so there is nothing to learn from; tell a label first.")
        with limited(self.threads):
            return self._state.model()

    def ask(self, n: int = 1) -> Rows:
        """Return the next ``n`` rows to label, or as many as can still be asked. Pending rows are not among them.

        Raises
        ------
        InputError
            If n is no whole number of 0 or more, the strategy needs labels and there are none, or X was changed since
            the session was made.
        PairingError
            If the strategy chooses one row at a time and more are asked.
        StrategyError, LearnerError
            If the strategy or the learner fails; nothing is lost then.
        """
        n = as_count("n", n)
        self._check_rows()
        if n > 1 and not self._cold and self._spec and self._spec.batch == "single":
            raise PairingError(f"{self._spec.name} chooses one row at a time; n is {n}. Use ask(1), {n} times.")
        with limited(self.threads):
            with self._all_or_nothing():
                rows = self._state.query(n)
            self._log("ask", rows)
            if self._recipe.prefit and self._state.t == 1:
                self._rebuild()  # a fitted learner serves the first ask; from now on it is fitted to the labels
        return rows

    def tell(self, rows: Any, labels: Any) -> None:
        """Take labels for rows, whether these were asked or not, all at once or in parts, in any order.

        Raises
        ------
        InputError
            If a row is labelled already (see ``relabel``) or outside X, or a label is not one of the classes. Then
            none of these labels is taken.
        """
        at = as_rows(self.pool, rows)
        codes = as_codes(self.pool, at, labels, one=np.ndim(rows) == 0)
        done = np.isin(at, self.labeled)
        if done.any():
            raise InputError(f"row {at[done][0]} is labelled already; use relabel to change its label.")
        self._log("tell", at, codes)

    def skip(self, rows: Any) -> None:
        """Never ask these rows again: nobody can label them. They may still be told, or released."""
        self._log("skip", as_rows(self.pool, rows))

    def release(self, rows: Any) -> None:
        """Give pending or skipped rows back, to be asked again."""
        rows = as_rows(self.pool, rows)
        idle = [row for row in rows.tolist() if row not in self._pending and row not in self._skipped]
        if idle:
            raise InputError(f"row {idle[0]} is neither pending nor skipped.")
        self._log("release", rows)

    def relabel(self, rows: Any, labels: Any) -> None:
        """Change the labels of labelled rows; a strategy's state becomes as if it had been so from the start.

        Raises
        ------
        InputError
            If a row is not labelled, or a label is not one of the classes. Then nothing is changed.
        """
        at = as_rows(self.pool, rows)
        codes = as_codes(self.pool, at, labels, one=np.ndim(rows) == 0)
        idle = at[~np.isin(at, self.labeled)]
        if idle.size:
            raise InputError(f"row {idle[0]} has no label to change; tell it first.")
        self._retell(dict(zip(at.tolist(), codes.tolist(), strict=True)))

    def untell(self, rows: Any) -> None:
        """Take labels back: a row is then unlabelled, pending or skipped, as if it had never been told.

        Raises
        ------
        InputError
            If a row is not labelled. Then nothing is changed.
        """
        at = as_rows(self.pool, rows)
        idle = at[~np.isin(at, self.labeled)]
        if idle.size:
            raise InputError(f"row {idle[0]} has no label to take back.")
        self._retell(dict.fromkeys(at.tolist()))

    def predict(self, X: Any) -> list[Any]:
        """Return the learner's labels for these rows, as the caller names them.

        Raises
        ------
        InputError
            If nothing is labelled yet, or X has other columns than the session's, or is another container.
        """
        with limited(self.threads):
            return as_told(self.pool, self._model.predict(alike(self.pool.X, X)))

    def scores(self) -> Floats:
        """Return the strategy's score of every row of X, larger = ask first; NaN where a row cannot be asked.

        Raises
        ------
        InputError
            If nothing is labelled, so that ``cold_start`` is asked.
        StrategyError
            If the strategy chooses rows without scoring them, or fails.
        """
        score, name = getattr(self.strategy, "scores", None), self._state.name
        if not callable(score):
            raise StrategyError(f"{name} chooses rows without scoring them.")
        if self._cold:
            raise InputError(f"no row is labelled yet, and cold_start is asked before {name}; tell a label first.")
        self._check_rows()
        view = self._state.view()
        with limited(self.threads), blame(self.strategy, "scores"):
            values = np.asarray(score(view), dtype=np.float64)
        if values.shape != view.unlabeled.shape:
            raise StrategyError(f"{name} gave scores of shape {values.shape} for {len(view.unlabeled)} rows.")
        full = np.full(len(self.pool), np.nan)
        full[view.unlabeled] = values
        return full

    def save(self, path: Path | str) -> None:
        """Write the session, without X and the models, as JSON: what was asked and told, in order, and the seed.

        A file of that name is replaced whole, or stays as it is.

        Raises
        ------
        InputError
            If the classes are no strings, numbers or booleans.
        StorageError
            If the disk is full, or cannot be written.
        """
        self._check_rows()
        about = {
            "data": fingerprint(self.pool.X),
            "task": str(self.pool.task),
            "classes": list(self.pool.classes),
            "seed": self.seed,
            "ties": self._ties,
            "events": self._events,
        }
        saved.write(path, about | {name: saved.keep(given) for name, given in self._given.items()})

    @classmethod
    def load(
        cls,
        path: Path | str,
        X: Any,
        *,
        strategy: Any,
        learner: Any,
        strategy_params: Mapping[str, Any] | None = None,
        cold_start: Any = AS_SAVED,
        features: Any = AS_SAVED,
        threads: int | None = 1,
    ) -> Self:
        """Return a saved session, which goes on as if it had never stopped; X, strategy and learner are given again.

        ``cold_start`` and ``features`` are given again only if they were objects or functions.

        Raises
        ------
        InputError
            If the file is no session or is damaged, or X is not the one it was saved with.
        """
        about = saved.read(path)
        if fingerprint(addressable(X)) != about["data"]:
            raise InputError(f"X is not the one that {path} was saved with; rows are positions in that X.")
        again = {"cold_start": cold_start, "features": features}
        for name, given in again.items():
            if isinstance(given, str) and given == AS_SAVED:
                again[name] = about[name]
                if isinstance(about[name], dict):
                    raise InputError(f"{path} was saved with {name}={about[name]['object']}; give {name} again.")
        if isinstance(again["cold_start"], str):
            try:
                plugins.loaded().registry.entry("strategy", again["cold_start"])
            except AlcoreError as error:
                raise InputError(f"{path} was saved with cold_start={again['cold_start']!r}: {error}") from error
        settings = {name: about[name] for name in ("classes", "task", "seed", "ties")} | again
        session = cls(
            X, strategy=strategy, learner=learner, strategy_params=strategy_params, threads=threads, **settings
        )
        try:
            saved.check_events(about["events"], session.pool)
        except ValueError as error:
            raise saved.damaged(path, str(error)) from error
        session._events = about["events"]
        session._rebuild()
        return session

    def _check_rows(self) -> None:
        """Raise InputError if rows of X are no longer what they were, as far as a sample of them shows."""
        if sampled(self.pool) != self._sample:
            raise InputError(
                "X was changed after the session was made: its rows are no longer those that were asked for and "
                "labelled. Make a session of a copy, Session(X.copy(), ...), and give it the labels again."
            )

    @property
    def _cold(self) -> bool:
        """Whether ``cold_start`` is asked instead of the strategy."""
        return self.n_labeled == 0 and self._cold_start is not None and not self._recipe.prefit

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Go back to what was before if the body fails, whatever a strategy has done to its state by then."""
        events = list(self._events)
        try:
            yield
        except BaseException:
            self._events = events
            self._rebuild()
            raise

    def _log(self, kind: str, rows: Rows, codes: Labels | None = None) -> None:
        if len(rows) == 0:
            return
        event = (kind, rows.tolist(), None if codes is None else codes.tolist())
        with limited(self.threads), self._all_or_nothing():
            self._apply(*event)
            self._events.append(event)

    def _retell(self, new: Mapping[int, Any]) -> None:
        """Change what was told: the codes of these rows, or None for a row that was not."""
        with limited(self.threads), self._all_or_nothing():
            for i, (kind, rows, codes) in enumerate(self._events):
                if kind == "tell" and not new.keys().isdisjoint(rows):
                    told = {row: new.get(row, code) for row, code in zip(rows, codes, strict=True)}
                    told = {row: code for row, code in told.items() if code is not None}
                    self._events[i] = ("tell", list(told), list(told.values()))
            self._rebuild()

    def _rebuild(self) -> None:
        """Make the state anew: it is what the events make of copies of the strategies."""
        chooser, cold = copied(self._strategy), None if self._cold_start is None else copied(self._cold_start)
        self._state = State(self.pool, chooser, self._recipe, seed=self.seed, ties=self._ties, cold_start=cold)
        self._pending: dict[int, None] = {}
        self._skipped: dict[int, None] = {}
        for kind, rows, codes in self._events:
            if kind == "ask" and self._spec and not self._spec.resumable:
                self._state.query(len(rows))  # its state is made by its queries too
            self._apply(kind, rows, codes)

    def _apply(self, kind: str, rows: list[int], codes: Any) -> None:
        state = self._state
        if kind == "tell":
            state.add(np.array(rows, dtype=np.intp), np.array(codes), start=True)
        elif kind == "release":
            state.open(rows)
        else:
            state.close(rows)
        for row in rows:
            self._pending.pop(row, None)
            self._skipped.pop(row, None)
        if kind == "ask":
            self._pending |= dict.fromkeys(rows)
            state.t += 1  # a round is an ask; labels may come later, or never
        elif kind == "skip":
            self._skipped |= dict.fromkeys(row for row in rows if row not in state.labeled)
