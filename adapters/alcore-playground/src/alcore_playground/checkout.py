"""A checkout of the playground, which has no package: where it is, and its modules, apart from everybody else's.

Its modules are called ``sampling_methods`` and import each other by that name. They are loaded under names of their
own; while that lasts, ``sampling_methods`` means them, and afterwards what it meant before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from alcore import UnavailableError
from alcore.interop import silenced

VARIABLE = "ALCORE_PLAYGROUND_PATH"
INSTALL = f"git clone https://github.com/google/active-learning playground && export {VARIABLE}=$PWD/playground"
PACKAGE = "sampling_methods"

_BASE = (
    "uniform_sampling",
    "margin_AL",
    "informative_diverse",
    "represent_cluster_centers",
    "graph_density",
    "kcenter_greedy",
    "hierarchical_clustering_AL",
)
_NEEDS: dict[str, tuple[str, ...]] = {
    "sampling_def": (),
    "utils": (),
    "utils.tree": ("utils",),
    "constants": (),
    **dict.fromkeys(_BASE, ("sampling_def",)),
    "hierarchical_clustering_AL": ("sampling_def", "utils.tree"),
    "mixture_of_samplers": ("sampling_def", "constants", *_BASE),
    "wrapper_sampler_def": ("mixture_of_samplers",),
    "bandit_discrete": ("wrapper_sampler_def",),
    "simulate_batch": ("wrapper_sampler_def",),
}
"""Which module imports which, in an order in which they can be loaded."""

_modules: dict[tuple[Path, str], ModuleType] = {}


def lacking(module: str) -> str | None:
    """Return why the sampler in ``module`` cannot be had, and what to type, or None; imports nothing."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        return f"needs a checkout of google/active-learning, which has no package: {INSTALL}"
    for name in _chain(module):
        if not _file(Path(given), name).is_file():
            return f"finds no {_file(Path(), name)} in {given!r}, which {VARIABLE} names: {INSTALL}"
    return None


def sampler(module: str, name: str) -> Any:
    """Return a class of the checkout that ``ALCORE_PLAYGROUND_PATH`` names.

    Raises
    ------
    UnavailableError
        If there is no such checkout, or its module fails to import; the message says what to type.
    """
    reason = lacking(module)
    if reason:
        raise UnavailableError(f"the playground's {name} {reason}")
    root = Path(os.environ[VARIABLE]).resolve()
    if (root, module) not in _modules:
        try:
            with _aliases(root), silenced():
                for one in _chain(module):
                    _load(root, one)
        except Exception as error:  # a module of 2018 may fail with anything
            raise UnavailableError(
                f"the playground's {name} fails to import from {root} ({type(error).__name__}: {error}): {INSTALL}"
            ) from error
    return getattr(_modules[root, module], name)


def _chain(module: str) -> list[str]:
    """Return ``module`` and what it imports, in the order of loading."""
    wanted = {module}
    for name in reversed(_NEEDS):
        if name in wanted:
            wanted.update(_NEEDS[name])
    return [name for name in _NEEDS if name in wanted]


def _file(root: Path, name: str) -> Path:
    path = root / PACKAGE / Path(*name.split("."))
    return path / "__init__.py" if name == "utils" else path.with_suffix(".py")


@contextmanager
def _aliases(root: Path) -> Iterator[None]:
    """Let ``sampling_methods`` mean the modules of this checkout that are loaded, and then what it meant before."""
    before = _take_out()
    package = ModuleType(PACKAGE)
    package.__path__ = []  # a package, and one that finds nothing by itself
    sys.modules[PACKAGE] = package
    sys.modules.update({f"{PACKAGE}.{name}": module for (at, name), module in _modules.items() if at == root})
    try:
        yield
    finally:
        _take_out()
        sys.modules.update(before)


def _take_out() -> dict[str, ModuleType]:
    ours = [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]
    return {name: sys.modules.pop(name) for name in ours}


def _load(root: Path, name: str) -> None:
    if (root, name) in _modules:
        return
    spec = spec_from_file_location(f"alcore_playground._checkout.{name}", _file(root, name))
    if spec is None or spec.loader is None:
        raise ImportError(f"{_file(root, name)} is no Python file")
    module = module_from_spec(spec)
    if name == "utils":
        module.__path__ = []
    sys.modules[f"{PACKAGE}.{name}"] = module
    spec.loader.exec_module(module)
    vars(module).update(SHIMS.get(name, {}), **({"np": _numpy()} if "np" in vars(module) else {}))
    _modules[root, name] = module


def _argsort(values: Any, *args: Any, **given: Any) -> Any:
    """Sort as NumPy does, and keep equal rows in order."""
    return np.argsort(values, *args, **{"kind": "stable"} | given)


NUMPY: dict[str, Any] = {"argsort": _argsort, "product": np.prod, "float": float}
"""Names of NumPy that mean something else, or are there again, in the modules of the checkout."""


def _numpy() -> ModuleType:
    named = ModuleType("numpy")
    vars(named).update(vars(np), **NUMPY)
    return named


def _largest(values: Any) -> float:
    """Return the largest value: the greatest row of (n, 1) distances, which is printed, is no number to NumPy 2."""
    return float(np.max(values))


def _clustering(affinity: str, **given: Any) -> Any:
    """Make scikit-learn's AgglomerativeClustering by the names it had: ``affinity`` and ``n_components_``."""
    from sklearn.cluster import AgglomerativeClustering

    class Clustering(AgglomerativeClustering):  # type: ignore[misc]
        n_components_ = property(lambda self: self.n_connected_components_)

    return Clustering(metric=affinity, **given)


SHIMS: dict[str, dict[str, Any]] = {
    "kcenter_greedy": {"max": _largest},
    "hierarchical_clustering_AL": {"AgglomerativeClustering": _clustering},
}
"""Names that mean something else in a module of the checkout, and nowhere else."""
