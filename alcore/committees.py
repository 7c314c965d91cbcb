"""Committees whose members are all the same: they agree everywhere, so that chance decides what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from alcore.types import Floats, Labels, Level

if TYPE_CHECKING:
    from alcore.learners import Model
    from alcore.view import View


class EqualMembersWarning(UserWarning):
    """All members of a committee were fitted to the same rows and say the same: every score is a tie."""


def warn_if_equal(view: View, members: Sequence[Model], fitted_to: Sequence[Labels]) -> bool:
    """Return whether all members are one and the same, and warn of it, once per run.

    They are if all were fitted to the same rows, and their answers for all unlabelled rows are equal bit by bit.
    Members that were fitted to different rows may agree, which is no fault, and are not looked at.

    Parameters
    ----------
    view : View
    members : sequence of fitted Model
    fitted_to : sequence of Rows
        The rows that each was fitted to, in any order; a row that was drawn twice is there twice.
    """
    same = len(members) > 1 and all(np.array_equal(np.sort(rows), np.sort(fitted_to[0])) for rows in fitted_to)
    if not same or any(member.constant is not None for member in members):
        return False
    first = _said(members[0], view)
    if not all(np.array_equal(_said(member, view), first) for member in members[1:]):
        return False
    view.warn(
        f"all {len(members)} members of the committee are the same ({members[0].name} fitted to the same "
        f"{len(fitted_to[0])} rows): they cannot disagree, and chance decides. Give each rows of its own, as a "
        "bootstrap sample, a start set of two rows or more per class, or a learner that takes a seed.",
        EqualMembersWarning,
    )
    return True


def _said(member: Model, view: View) -> Floats | Labels:
    if Level.PROBA in member.levels:
        return member.predict_proba(view.X_unlabeled)
    return member.predict(view.X_unlabeled)
