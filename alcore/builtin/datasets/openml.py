"""Data sets of OpenML by their number, kept on disk after the first download.

``sklearn.datasets.fetch_openml`` also caches and verifies, but can be pointed at a mirror (or at a test's own server)
only through a private constant, offers its cache in no form that a person could fill by hand, and asks the network
for two more documents that the ARFF file itself answers. So this asks for the description and the file, with urllib.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import logging
import os
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alcore.builtin.datasets import arff, frames
from alcore.builtin.datasets.content import read_text, reading
from alcore.builtin.datasets.frames import Column, Encoding
from alcore.dataset import Dataset
from alcore.errors import InputError, UnavailableError
from alcore.spec import DatasetSpec

if TYPE_CHECKING:
    from pandas import DataFrame

SERVER = "https://www.openml.org"
TIMEOUT = 60  # seconds without an answer
_UNKNOWN = (404, 412)  # what OpenML answers for a number that it does not have
_log = logging.getLogger(__name__)


def load(
    id: int,  # noqa: A002 - OpenML's own word
    target: Column | Sequence[Column] | None = None,
    *,
    encoding: Encoding = "one-hot",
    cache_dir: str | Path | None = None,
    text: Column | None = None,
    positive: Any = None,
) -> Dataset:
    """Return the data set with this number; the first time it is downloaded, after that the network is not touched.

    The environment variable ``ALCORE_OPENML_URL`` names a mirror to ask instead of www.openml.org. It is no parameter,
    because it does not change what is loaded.

    Parameters
    ----------
    id : int
        As in ``www.openml.org/d/61``.
    target : str, int or list of these
        The column of the labels; None is the one that OpenML names. A list of 0/1 columns makes the task multi-label.
        A nominal target makes the task a classification, a numeric one a regression.
    encoding : "one-hot" or "frame"
        As in the data set ``file``. Columns that OpenML says to ignore, and row identifiers, are left out.
    cache_dir : str, Path or None
        Where downloads are kept; None is ``$ALCORE_CACHE``, else ``alcore`` in the user's cache folder
        (``$XDG_CACHE_HOME``, else ``~/.cache``).
    text, positive
        As in the data set ``file``.

    Raises
    ------
    InputError
        If OpenML has no such data set or names no target.
    UnavailableError
        If it is not cached and cannot be downloaded whole.
    """
    if not isinstance(id, int) or isinstance(id, bool) or id < 1:
        raise InputError(f"openml: id is {id!r}; give the number in the data set's address, such as 61 for iris.")
    folder = _cache(cache_dir) / "openml"
    description = _description(id, folder)
    file = folder / f"{id}.arff"
    _cached(file, description["url"], lambda content: _wrong_sum(content, description))
    with reading(file, "ARFF"):
        relation = arff.read(read_text(file, "ARFF"), where=str(file))
    frame = relation.frame
    chosen = _default_target(frame, description, id) if target is None else target
    return frames.to_dataset(
        frame,
        name=f"openml.{id}",
        source=f"OpenML {id}, {description.get('name')} version {description.get('version')}",
        where=str(file),
        target=chosen,
        declared=True,
        encoding=encoding,
        drop=_ignored(frame, description, frames.positions(frame, chosen, str(file))),
        text=text,
        dates=relation.dates,
        sparse=relation.sparse,
        positive=positive,
    )


def cached(id: int, cache_dir: str | Path | None = None) -> bool:  # noqa: A002 - OpenML's own word
    """Tell whether a data set was downloaded, so that loading it needs no network."""
    folder = _cache(cache_dir) / "openml"
    return (folder / f"{id}.json").is_file() and (folder / f"{id}.arff").is_file()


def _cache(cache_dir: str | Path | None) -> Path:
    chosen = cache_dir or os.environ.get("ALCORE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "alcore"


def _description(id: int, folder: Path) -> Mapping[str, Any]:  # noqa: A002 - OpenML's own word
    """Return what OpenML says of a data set: its name, its file's address and MD5 sum, its target."""
    server = os.environ.get("ALCORE_OPENML_URL") or SERVER
    url = f"{server.rstrip('/')}/api/v1/json/data/{id}"

    def wrong(content: bytes) -> str | None:
        try:
            said = json.loads(content)["data_set_description"]
            return None if said["url"] and int(said["id"]) == id else f"does not describe data set {id}"
        except (ValueError, KeyError, TypeError):
            return "is no description of a data set"

    try:
        content = _cached(folder / f"{id}.json", url, wrong)
    except UnavailableError as error:
        answer = error.__cause__
        if isinstance(answer, urllib.error.HTTPError) and answer.code in _UNKNOWN:
            raise InputError(
                f"openml: there is no data set {id} at {url} ({answer.code}). Look its number up in its address, as in "
                "www.openml.org/d/61."
            ) from error
        raise
    found: Mapping[str, Any] = json.loads(content)["data_set_description"]
    return found


def _wrong_sum(content: bytes, description: Mapping[str, Any]) -> str | None:
    """Return why this is not the file that the description means, or None."""
    told = description.get("md5_checksum")
    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    return None if not told or told == found else f"has MD5 sum {found} where OpenML says {told}"


def _cached(file: Path, url: str, wrong: Callable[[bytes], str | None]) -> bytes:
    """Return the content of a cached file, downloading it if it is not there or ``wrong`` says what is wrong."""
    if file.is_file():
        content = file.read_bytes()
        fault = wrong(content)
        if fault is None:
            return content
        _log.warning("%s %s; it is downloaded again", file, fault)
    _log.info("downloading %s", url)
    content = _download(url, file)
    fault = wrong(content)
    if fault:
        raise UnavailableError(f"what {url} sent {fault}. Try again later, or put the right file at {file}.")
    _write(file, content)
    return content


def _download(url: str, file: Path) -> bytes:
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise UnavailableError(f"{url} is no web address. Put the file at {file}, or unset ALCORE_OPENML_URL.")
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:  # noqa: S310 - the scheme is checked above
            content: bytes = answer.read()
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        raise UnavailableError(
            f"{url} cannot be downloaded: {getattr(error, 'reason', error)}. Go online, put what the address serves at "
            f"{file}, or use a file of your own with data set 'file'."
        ) from error
    return content


def _write(file: Path, content: bytes) -> None:
    """Write a file so that another process sees all of it or nothing."""
    # tempfile would make it readable for this user alone, and a group may share the cache
    temporary = file.with_name(f"{file.name}.{uuid.uuid4().hex}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(content)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UnavailableError(
            f"{file} cannot be written: {error}. Give a folder that can be, as cache_dir or ALCORE_CACHE."
        ) from error


def _default_target(frame: DataFrame, description: Mapping[str, Any], id: int) -> Column | list[Column]:  # noqa: A002
    named = description.get("default_target_attribute")
    if not named:
        raise InputError(
            f"openml: data set {id} names no target. Give target=NAME; it has {frames.shown(frame.columns)}."
        )
    if named in list(frame.columns):
        return str(named)
    return [part.strip() for part in str(named).split(",")]  # several: a multi-label data set


def _ignored(frame: DataFrame, description: Mapping[str, Any], targets: Iterable[int]) -> list[Column]:
    """Return the columns that are no features by OpenML's word: identifiers, and those it says to ignore."""
    names = list(frame.columns)
    told: set[str] = set()
    for key in ("row_id_attribute", "ignore_attribute"):
        value = description.get(key) or []
        told.update([value, *(part.strip() for part in value.split(","))] if isinstance(value, str) else value)
    return [position for position, name in enumerate(names) if name in told and position not in set(targets)]


def specs() -> list[DatasetSpec]:
    """Return the spec of the family ``openml``."""
    return [
        DatasetSpec(
            name="openml",
            summary="A data set of OpenML by its number, with id=; downloaded once",
            make="alcore.builtin.datasets.openml:load",
            source="OpenML (Vanschoren et al., 2014)",
            task=None,
        )
    ]
