"""LAL: how much a row's label will take off the error, as a regressor learned it on simulated tasks."""

from __future__ import annotations

from pathlib import Path

import alcore
from alcore import Floats, InputError, View
from alcore_strategies.checks import before, counts
from alcore_strategies.learned.lal_features import VARYING, describe
from alcore_strategies.learned.lal_regressor import regressor as loaded


def check_parameters(trees: int, regressor: str | Path | None) -> None:
    """Raise InputError where a parameter is out of range."""
    counts("lal", trees=trees)
    if regressor is not None and not (isinstance(regressor, str | Path) and Path(regressor).expanduser().is_file()):
        raise InputError(f"lal: regressor is {regressor!r}, which is no file; give the path of one, or None.")


@alcore.scores(
    "lal",
    summary="The row whose label a regressor, trained on simulated tasks, expects to take most off the error",
    learner=False,
    max_classes=2,
    stochastic=True,
    source="Konyushkova, Sznitman and Fua, Learning Active Learning from Data (NIPS 2017)",
    group="learned",
    adapt=before(check_parameters),
)
def lal(view: View, *, trees: int = 50, regressor: str | Path | None = None) -> Floats:
    """g(phi(x, state of learning)), the predicted reduction of the test error (section 4).

    The features are read off a random forest of its own on ``pool.features``, drawn anew each round.

    Parameters
    ----------
    trees : int
        Of that forest.
    regressor : path or None
        A file that ``python -m alcore_strategies.learned.lal_training`` wrote; None takes the one that ships.
    """
    check_parameters(trees, regressor)
    if len(view.labeled) == 0:
        raise InputError('lal needs a labelled row. Give a start set, or cold_start="random".')
    path = None if regressor is None else Path(regressor).expanduser()
    g = loaded(path, path.stat().st_mtime if path and path.is_file() else 0.0)
    X = view.pool.features
    phi, _ = describe(X[view.labeled], view.y, X[view.unlabeled], trees, view.rng)
    return g.predict(phi[:, :VARYING], phi[0, VARYING:])
