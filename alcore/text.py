"""Documents as numbers: TF-IDF for learners, and its main directions for strategies that use distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from alcore.errors import InputError
from alcore.types import Floats

DIRECTIONS = 100


def dense_tfidf(documents: Any, directions: int = DIRECTIONS) -> Floats:
    """Return the main directions of the documents' TF-IDF vectors (latent semantic analysis), rows of length 1.

    Parameters
    ----------
    documents : array (n,) of str
    directions : int, at most; fewer where there are fewer documents or words

    Raises
    ------
    InputError
        If there is no word in them.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    try:
        words = TfidfVectorizer(sublinear_tf=True).fit_transform(documents)
    except ValueError as error:
        raise InputError(f"the documents have no words: {error}. Give texts, or features=function of X.") from error
    most = min(directions, min(words.shape) - 1)
    if most < 1:
        return np.asarray(words.toarray(), dtype=np.float64)
    reduced = TruncatedSVD(most, algorithm="arpack", random_state=0).fit_transform(words)
    return np.asarray(normalize(reduced), dtype=np.float64)
