"""What must be installed, found out without importing it."""

from __future__ import annotations

from importlib.machinery import PathFinder
from importlib.util import find_spec

INSTALL = "pip install --no-build-isolation --no-deps"
BUILD = (
    "libact 0.1.6 is built from source, on Python 3.11: "
    'pip install "setuptools<60" wheel "cython<3" "numpy>=2,<2.3" joblib six, then '
    f"CYTHON_FORCE_REGEN=1 LIBACT_BUILD_VARIANCE_REDUCTION=0 {INSTALL} libact==0.1.6"
)
REQUIRES = {"libact": BUILD, "six": "pip install six", "joblib": "pip install joblib"}


def without_hintsvm() -> str | None:
    """Return why HintSVM cannot be used here, or None."""
    return _without(
        "_hintsvm",
        "libact was built without it. Build it anew: CYTHON_FORCE_REGEN=1 LIBACT_BUILD_HINTSVM=1 "
        f"LIBACT_BUILD_VARIANCE_REDUCTION=0 {INSTALL} --force-reinstall libact==0.1.6",
    )


def without_variance_reduction() -> str | None:
    """Return why variance reduction cannot be used here, or None."""
    return _without(
        "_variance_reduction",
        "libact was built without it. Build it anew with LAPACKE: apt-get install liblapacke-dev; "
        "echo '#define LAPACK_dgesvd dgesvd_' > lapacke.h; CFLAGS=-I$PWD CYTHON_FORCE_REGEN=1 "
        f"LIBACT_BUILD_VARIANCE_REDUCTION=1 {INSTALL} --force-reinstall libact==0.1.6",
    )


def _without(extension: str, fix: str) -> str | None:
    libact = find_spec("libact")
    folders = [f"{path}/query_strategies" for path in (libact.submodule_search_locations or ())] if libact else []
    if PathFinder.find_spec(extension, folders) is not None:
        return None
    return f"needs libact's C extension {extension!r}: {fix}"
