"""The 40 data sets: what is here is what was published, what is not says where it can be had."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from alcore import InputError, UnavailableError, plugins
from alcore.cli import main
from alcore_benchmark.datasets import specs
from alcore_benchmark.datasets.catalogue import TABLE
from alcore_benchmark.datasets.load import BY_NAME, load, sources, unavailable

NOT_HERE = {"tic", "bioresponse", "pol", "imdb", "cifar-10", "diabetes-130", "rt-iot2022", "covertype"}
"""What the reference data do not have."""

HERE = [entry.name for entry in TABLE if entry.name not in NOT_HERE]


def test_all_forty_are_registered() -> None:
    assert len(TABLE) == len(BY_NAME) == 40
    registry = plugins.loaded().registry
    for spec in specs():
        entry = registry.entry("dataset", spec.name)
        assert entry.distribution == "alcore-benchmark"
        assert (entry.spec.rows, entry.spec.features, entry.spec.classes) == (spec.rows, spec.features, spec.classes)


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", HERE)
def test_what_is_here_has_the_published_facts(name: str) -> None:
    entry = BY_NAME[name]
    found = load(name, source="file")
    assert found.X.shape == (entry.rows, entry.features)
    assert len(found.classes or ()) == entry.classes
    assert np.isfinite(np.asarray(found.X, dtype=float)).all()


@pytest.mark.usefixtures("nothing")
def test_what_cannot_be_had_here_says_where_from() -> None:
    for entry in TABLE:
        reason = unavailable(entry)
        if sources(entry):
            assert reason is None
        else:
            assert entry.file in str(reason)
            assert "ALCORE_DATA" in str(reason)
    assert "alcore download pol" in str(unavailable(BY_NAME["pol"]))
    with pytest.raises(UnavailableError, match=r"appendicitis needs the file appendicitis-svmstyle\.txt"):
        load("appendicitis")


@pytest.mark.usefixtures("nothing")
def test_without_files_the_bundled_ones_serve() -> None:
    assert sources(BY_NAME["wdbc"]) == ["bundled"]
    assert load("wdbc").X.shape == (569, 30)
    with pytest.raises(UnavailableError, match="there is bundled"):
        load("wdbc", source="file")


@pytest.mark.usefixtures("nothing")
def test_the_list_tells_what_is_here() -> None:
    shown = json.loads(CliRunner().invoke(main, ["list", "datasets", "--json"]).output)["datasets"]
    state = {entry["name"]: entry["state"] for entry in shown}
    assert (state["wine"], state["sonar"], state["pol"]) == ("available", "available", "unavailable")


def test_a_file_that_is_another_says_in_what(nothing: Path) -> None:
    lines = [f"{1 if i % 3 else -1} 1:{i} 2:0.5 7:1" for i in range(60)]
    (nothing / "appendicitis-svmstyle.txt").write_text("\n".join(lines))
    with pytest.raises(InputError) as caught:
        load("appendicitis")
    assert "it has 60 rows, not 106; imbalance 2.00, not 4.05" in str(caught.value)


def test_a_wrong_source_is_refused() -> None:
    with pytest.raises(InputError, match="source is 'web'"):
        load("sonar", source="web")  # type: ignore[arg-type]


def test_tic_of_a_package_is_not_the_published_one() -> None:
    assert BY_NAME["tic"].bundled == ""
    assert "835 and 123" in BY_NAME["tic"].note


def pol(rows: int = 10082) -> bytes:
    """An ARFF file of pol's shape."""
    columns = "".join(f"@attribute a{i} numeric\n" for i in range(26))
    chance = np.random.default_rng(0)
    lines = [",".join(map(str, row)) + f",{'PN'[i % 2]}" for i, row in enumerate(chance.integers(9, size=(rows, 26)))]
    return f"@relation pol\n{columns}@attribute class {{P,N}}\n@data\n".encode() + "\n".join(lines).encode()


@pytest.fixture
def openml(monkeypatch: pytest.MonkeyPatch, nothing: Path) -> Iterator[None]:
    """A server in place of OpenML that has pol."""
    pages = {"/pol.arff": pol()}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path, b"")
            self.send_response(200 if page else 412)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        md5 = hashlib.md5(pages["/pol.arff"]).hexdigest()
        about = {"id": "44122", "name": "pol", "version": "1", "format": "ARFF", "url": f"{url}/pol.arff"}
        about |= {"default_target_attribute": "class", "md5_checksum": md5}
        pages["/api/v1/json/data/44122"] = json.dumps({"data_set_description": about}).encode()
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setenv("ALCORE_OPENML_URL", url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield
        server.shutdown()


@pytest.mark.usefixtures("openml")
def test_download_once_and_it_is_here() -> None:
    assert sources(BY_NAME["pol"]) == []
    result = CliRunner().invoke(main, ["download", "pol"])
    assert (result.exit_code, result.output) == (0, "pol: 10082 rows, OpenML 44122\n")
    assert sources(BY_NAME["pol"]) == ["openml"]
    assert load("pol").X.shape == (10082, 26)


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize(
    ("name", "message"), [("ex8a", "ex8a is not at OpenML"), ("apendicitis", "Did you mean 'appendicitis'?")]
)
def test_what_cannot_be_downloaded(name: str, message: str) -> None:
    result = CliRunner().invoke(main, ["download", name])
    assert result.exit_code == 2
    assert message in result.output
