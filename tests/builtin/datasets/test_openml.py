"""OpenML's data sets are downloaded once, verified, and kept; a server of the test's own stands in for it."""

import hashlib
import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from alcore.builtin.datasets import openml
from alcore.errors import InputError, UnavailableError
from alcore.types import Task

FLOWERS = """@relation flowers
@attribute id numeric
@attribute width numeric
@attribute colour {red, blue}
@attribute note string
@attribute kind {small, large, huge}
@data
1,0.5,red,'first, one',large
2,?,blue,x,small
3,2,?,y,large
"""


class Server(ThreadingHTTPServer):
    """Serves what ``pages`` holds by path and remembers what was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked = {}, []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def offer(self, number, arff=FLOWERS, **description):
        content = arff.encode()
        self.pages[f"/files/{number}.arff"] = content
        said = {
            "id": str(number),
            "name": "flowers",
            "version": "2",
            "format": "ARFF",
            "url": f"{self.url}/files/{number}.arff",
            "default_target_attribute": "kind",
            "row_id_attribute": "id",
            "ignore_attribute": ["note"],
            "md5_checksum": hashlib.md5(content).hexdigest(),
        }
        said = {key: value for key, value in (said | description).items() if value is not None}
        self.pages[f"/api/v1/json/data/{number}"] = json.dumps({"data_set_description": said}).encode()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        page = self.server.pages.get(self.path, 412)
        self.send_response(page if isinstance(page, int) else 200)
        content = b'{"error":{"code":"111","message":"Unknown dataset"}}' if isinstance(page, int) else page
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        monkeypatch.setenv("ALCORE_OPENML_URL", server.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def test_rows_labels_and_names(server, cache):
    server.offer(7)
    dataset = openml.load(7, cache_dir=cache)
    assert dataset.name == "openml.7"
    assert dataset.source == "OpenML 7, flowers version 2"
    assert dataset.classes == ("small", "large")  # as declared, those that occur
    assert dataset.y.tolist() == ["large", "small", "large"]
    # width, colour=red, colour=blue: the identifier and the ignored text are no features
    np.testing.assert_array_equal(dataset.X, [[0.5, 1, 0], [np.nan, 0, 1], [2, 0, 0]])


def test_frame_encoding(server, cache):
    server.offer(7)
    X = openml.load(7, cache_dir=cache, encoding="frame").X
    assert list(X.columns) == ["width", "colour"]
    assert list(X["colour"].cat.categories) == ["red", "blue"]


def test_numeric_target_is_a_regression(server, cache):
    server.offer(7)
    dataset = openml.load(7, "id", cache_dir=cache)
    assert dataset.task is Task.REGRESSION
    assert dataset.codes.tolist() == [1.0, 2.0, 3.0]


def test_several_default_targets_are_labels(server, cache):
    arff = "@relation l\n@attribute x real\n@attribute p {0,1}\n@attribute q {0,1}\n@data\n1,0,1\n2,1,1\n"
    server.offer(8, arff, default_target_attribute="p, q", row_id_attribute=None, ignore_attribute=None)
    dataset = openml.load(8, cache_dir=cache)
    assert dataset.task is Task.MULTILABEL
    assert dataset.codes.tolist() == [[0, 1], [1, 1]]


def test_a_second_load_touches_no_network(server, cache):
    server.offer(7)
    first = openml.load(7, cache_dir=cache)
    asked = list(server.asked)
    second = openml.load(7, cache_dir=cache)
    assert asked == server.asked == ["/api/v1/json/data/7", "/files/7.arff"]
    assert first.fingerprint() == second.fingerprint()


def test_a_cached_set_needs_no_server(server, cache, monkeypatch):
    server.offer(7)
    openml.load(7, cache_dir=cache)
    monkeypatch.setenv("ALCORE_OPENML_URL", "http://127.0.0.1:9")
    assert len(openml.load(7, cache_dir=cache)) == 3


def test_the_cache_can_be_filled_by_hand(server, cache, monkeypatch):
    server.offer(7)
    (cache / "openml").mkdir(parents=True)
    (cache / "openml" / "7.json").write_bytes(server.pages["/api/v1/json/data/7"])
    (cache / "openml" / "7.arff").write_text(FLOWERS)
    openml.load(7, cache_dir=cache)
    assert server.asked == []


def test_nothing_but_whole_files_is_left_in_the_cache(server, cache):
    server.offer(7)
    openml.load(7, cache_dir=cache)
    assert sorted(path.name for path in (cache / "openml").iterdir()) == ["7.arff", "7.json"]


@pytest.mark.parametrize(("name", "fault"), [("7.arff", "has MD5 sum"), ("7.json", "is no description of a data set")])
def test_a_corrupt_cache_is_downloaded_again(server, cache, caplog, name, fault):
    server.offer(7)
    expected = openml.load(7, cache_dir=cache).fingerprint()
    file = cache / "openml" / name
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    server.asked.clear()
    with caplog.at_level(logging.WARNING):
        assert openml.load(7, cache_dir=cache).fingerprint() == expected
    assert len(server.asked) == 1
    assert file.read_bytes() == whole
    assert name in caplog.text
    assert fault in caplog.text
    assert "downloaded again" in caplog.text


def test_a_download_of_another_sum_is_refused_and_not_kept(server, cache):
    server.offer(7, md5_checksum="0" * 32)
    with pytest.raises(UnavailableError, match=r"has MD5 sum .* where OpenML says 000.* Try again later"):
        openml.load(7, cache_dir=cache)
    assert not (cache / "openml" / "7.arff").exists()


def test_an_answer_that_is_no_description_is_refused(server, cache):
    server.pages["/api/v1/json/data/7"] = b"<html>welcome to the hotel network</html>"
    with pytest.raises(UnavailableError, match="is no description of a data set"):
        openml.load(7, cache_dir=cache)


def test_an_answer_about_another_set_is_refused(server, cache):
    server.offer(7)
    server.pages["/api/v1/json/data/8"] = server.pages["/api/v1/json/data/7"]
    with pytest.raises(UnavailableError, match="does not describe data set 8"):
        openml.load(8, cache_dir=cache)


def test_unknown_number(server, cache):
    with pytest.raises(InputError, match=r"there is no data set 99 at http.*/api/v1/json/data/99 .412"):
        openml.load(99, cache_dir=cache)


def test_a_server_in_trouble(server, cache):
    server.pages["/api/v1/json/data/7"] = 503
    with pytest.raises(UnavailableError, match=r"/data/7 cannot be downloaded: Service Unavailable\. Go online"):
        openml.load(7, cache_dir=cache)


def test_no_network(cache, monkeypatch):
    monkeypatch.setenv("ALCORE_OPENML_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(UnavailableError) as caught:
        openml.load(7, cache_dir=cache)
    message = str(caught.value)
    assert "http://127.0.0.1:9/api/v1/json/data/7 cannot be downloaded: [Errno" in message
    assert str(cache / "openml" / "7.json") in message
    assert "data set 'file'" in message


def test_no_web_address(cache, monkeypatch):
    monkeypatch.setenv("ALCORE_OPENML_URL", "file:///etc")
    with pytest.raises(UnavailableError, match="file:///etc/api/v1/json/data/7 is no web address"):
        openml.load(7, cache_dir=cache)


def test_a_cache_that_cannot_be_written(server, tmp_path):
    server.offer(7)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UnavailableError, match=r"cannot be written.* cache_dir or ALCORE_CACHE"):
        openml.load(7, cache_dir=tmp_path / "file")


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"ALCORE_CACHE": "{}/mine", "XDG_CACHE_HOME": "{}/xdg"}, "mine"),
        ({"XDG_CACHE_HOME": "{}/xdg"}, "xdg/alcore"),
        ({"HOME": "{}/home"}, "home/.cache/alcore"),
    ],
)
def test_where_the_cache_is(server, tmp_path, monkeypatch, variables, folder):
    for variable in ("ALCORE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value.format(tmp_path))
    server.offer(7)
    openml.load(7)
    assert (tmp_path / folder / "openml" / "7.arff").is_file()


@pytest.mark.parametrize("number", [0, -3, "61", True, 1.0])
def test_id_is_a_number(number):
    with pytest.raises(InputError, match="give the number in the data set's address, such as 61 for iris"):
        openml.load(number)


def test_no_target(server, cache):
    server.offer(7, default_target_attribute=None)
    with pytest.raises(InputError, match=r"names no target\. Give target=NAME; it has id, width, colour, note, kind"):
        openml.load(7, cache_dir=cache)


def test_unknown_target(server, cache):
    server.offer(7)
    with pytest.raises(InputError, match=r"no column 'kin'.* Did you mean 'kind'"):
        openml.load(7, "kin", cache_dir=cache)


def test_sparse_arff_becomes_a_sparse_matrix(server, cache):
    rows = "{1 0.5, 2 red, 4 large}\n{0 2, 4 large}\n"
    server.offer(7, arff=FLOWERS[: FLOWERS.index("@data")] + "@data\n" + rows, format="Sparse_ARFF")
    dataset = openml.load(7, cache_dir=cache)
    assert dataset.X.format == "csr"
    assert dataset.X.toarray()[:, 0].tolist() == [0.5, 0]
    assert dataset.classes == ("large",)
