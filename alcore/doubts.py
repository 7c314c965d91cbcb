"""Set-ups whose numbers mean little, each a warning by name: told before the first round, and run all the same."""

from __future__ import annotations

import warnings

import numpy as np

from alcore.types import Labels, Task


class SetupWarning(UserWarning):
    """What a run is made of makes its numbers mean little."""


class WholePoolWarning(SetupWarning):
    """The start set takes the whole pool: nothing is left to choose, and the curve is one point."""


class IdTargetWarning(SetupWarning):
    """There is a class for every row or two: the target is an id, or a number that wants a regression."""


class SingleRowWarning(SetupWarning):
    """Classes have a single row, which can be learnt from or tested on, and not both."""


class UnseenClassWarning(SetupWarning):
    """The test set has classes of which no row is in the pool: nobody can learn them."""


class UntestedClassWarning(SetupWarning):
    """The pool has classes of which no row is in the test set: nobody is scored for them."""


def doubts(
    task: Task, n_classes: int, pool: Labels, test: Labels, start: int, budget: int | None
) -> list[SetupWarning]:
    """Return what makes the numbers of a run mean little.

    Parameters
    ----------
    task, n_classes : of the data
    pool, test : labels of their rows, as codes
    start : rows of the start set
    budget : labels to ask for after it; None asks for all
    """
    found: list[SetupWarning] = []
    if start == len(pool) > 0 and budget != 0:
        found.append(
            WholePoolWarning(
                f"the start set takes all {len(pool)} rows of the pool: no strategy is asked, and each has the "
                "same curve of one point. Start with fewer rows, or bring more."
            )
        )
    if task is Task.CLASSIFICATION:
        inside, tested = (np.bincount(y, minlength=n_classes) for y in (pool, test))
        found += _of_classes(inside, tested)
    return found


def _of_classes(inside: Labels, tested: Labels) -> list[SetupWarning]:
    both = inside + tested
    rows, present, single = int(both.sum()), int((both > 0).sum()), int((both == 1).sum())
    if present > 1 and 2 * present > rows:
        return [
            IdTargetWarning(
                f"the target has {present} classes in {rows} rows, one for every row or two: it looks like an id, a "
                'name or a number. Take another target, or task = "regression" for a number.'
            )
        ]
    found: list[SetupWarning] = []
    if single:
        found.append(
            SingleRowWarning(
                f"{single} of {present} classes have a single row, which can be learnt from or tested on, and not "
                "both. Merge rare classes, or leave them out."
            )
        )
    unseen = int(((inside == 0) & (tested > 1)).sum())
    if unseen:
        found.append(
            UnseenClassWarning(
                f"{unseen} of {present} classes are in the test set and not in the pool, so that nobody can learn "
                'them. Split by class: split.method = "stratified".'
            )
        )
    untested = int(((tested == 0) & (inside > 1)).sum())
    if untested:
        found.append(
            UntestedClassWarning(
                f"{untested} of {present} classes have no row in the test set of {int(tested.sum())}, so that no score "
                'says how well they are learnt. Split by class: split.method = "stratified".'
            )
        )
    return found


def warn(found: list[SetupWarning], stacklevel: int = 2) -> None:
    """Issue these warnings, as of the caller."""
    for one in found:
        warnings.warn(one, stacklevel=stacklevel + 1)
