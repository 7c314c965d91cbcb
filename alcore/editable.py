"""The source of distributions that are installed editable: it can change under an unchanged version."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path
from urllib.parse import urlsplit

from alcore.registry import STATED, Code
from alcore.spec import Spec

DIGITS = 16


def hashed(text: bytes) -> str:
    """Return what stands for a source text in ids and versions."""
    return f"sha256:{hashlib.sha256(text).hexdigest()[:DIGITS]}"


def code_of(distribution: Distribution | None, module: str, specs: Iterable[Spec]) -> Code:
    """Return what stands for the code of a plugin: a hash if its distribution is editable.

    All ``*.py`` under the top-level packages count from which the plugin and its parts come, as far as these lie in
    the folder that is installed editable.

    Parameters
    ----------
    distribution : of the plugin; None says nothing of how it is installed
    module : what its entry point names
    specs : what it provides
    """
    folder = _editable(distribution)
    if folder is None:
        return STATED
    tops = dict.fromkeys(name.partition(".")[0] for name in (module, *filter(None, map(_home, specs))))
    files = sorted({file for top in tops for file in _sources(top, folder)})
    if not files:
        where = " and ".join(tops)
        return Code(unknown=f"it is installed editable, and no Python source of {where} is found in {folder}")
    try:
        texts = [(file.relative_to(folder).as_posix(), file.read_bytes()) for file in files]
    except OSError as error:
        return Code(unknown=f"it is installed editable, and {error.filename} cannot be read: {error.strerror or error}")
    listed = [f"{name} {hashlib.sha256(text).hexdigest()}" for name, text in texts]
    return Code(hashed("\n".join(listed).encode()))


def _editable(distribution: Distribution | None) -> Path | None:
    """Return the folder that a distribution was installed from with ``pip install -e``, or None (PEP 610)."""
    text = distribution.read_text("direct_url.json") if distribution is not None else None
    try:
        told = json.loads(text or "{}")
        if not told.get("dir_info", {}).get("editable"):
            return None
        from urllib.request import url2pathname  # here, for it brings all of HTTP with it

        return Path(url2pathname(urlsplit(str(told["url"])).path)).resolve()
    except (ValueError, KeyError, AttributeError):  # written by something else than an installer
        return None


def _home(spec: Spec) -> str | None:
    """Return the module in which a part is made."""
    if isinstance(spec.make, str):
        return spec.make.partition(":")[0]
    # A decorated function is inside what the decorator makes of it.
    made = getattr(spec.make, "function", spec.make)
    home: str | None = getattr(made, "__module__", None)
    return home


def _sources(top: str, folder: Path) -> list[Path]:
    """Return the Python files of a top-level package or module that lie in the folder."""
    try:
        found = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return []
    if found is None:
        return []
    places = [Path(place).resolve() for place in found.submodule_search_locations or ()]
    if not places and found.origin:
        files = [Path(found.origin).resolve()]
    else:
        files = [file for place in places if place.is_relative_to(folder) for file in place.rglob("*.py")]
    return [file for file in files if file.suffix == ".py" and file.is_relative_to(folder)]
