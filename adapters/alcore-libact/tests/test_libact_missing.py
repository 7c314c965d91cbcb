"""libact missing or half working: the adapter loads all the same, and says what to type; no shim stays behind."""

from __future__ import annotations

import subprocess
import sys

import pytest

from alcore import UnavailableError
from alcore_libact import install
from alcore_libact.specs import SPECS

BUILD = {spec.name: spec for spec in SPECS}


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


def test_listing_imports_nothing_heavy():
    listed = "import sys, alcore_libact; s = list(alcore_libact.alcore_strategies()); r = [x.missing() for x in s]"
    heavy = '{"libact", "sklearn", "scipy", "joblib", "pandas"} & set(sys.modules)'
    assert run(f"{listed}; print(len(s), sorted({heavy}))") == "20 []"


@pytest.mark.parametrize("module", ["libact", "six", "joblib"])
def test_all_are_unavailable_without_a_package(monkeypatch, module):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == module else found(name, *rest))
    for spec in SPECS:
        assert f"needs the package '{module}'" in spec.missing()
        assert "pip install" in spec.missing()
        with pytest.raises(UnavailableError, match="pip install"):
            spec.build()


@pytest.mark.parametrize(
    ("name", "extension"), [("hint-svm", "_hintsvm"), ("variance-reduction", "_variance_reduction")]
)
def test_one_is_unavailable_without_its_extension(monkeypatch, name, extension):
    monkeypatch.setattr(install.PathFinder, "find_spec", lambda *args: None)
    reason = BUILD[f"libact.{name}"].missing()
    assert extension in reason
    assert "pip install" in reason
    assert BUILD["libact.margin"].missing() is None


@pytest.mark.parametrize("name", ["hint-svm", "variance-reduction"])
def test_an_extension_without_libact_is_not_looked_for(monkeypatch, name):
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    assert BUILD[f"libact.{name}"].unavailable() is not None


def test_a_libact_that_fails_to_import_is_told():
    told = run(
        "import sys; sys.modules['libact.query_strategies'] = None\n"
        "from alcore import UnavailableError\n"
        "from alcore_libact.specs import SPECS\n"
        "for spec in SPECS:\n"
        "    try:\n"
        "        spec.build()\n"
        "    except UnavailableError as error:\n"
        "        print(spec.name in str(error))\n"
    )
    assert told.split() == ["True"] * len(SPECS)


def test_what_works_of_libact_works_where_its_multiclass_part_does_not():
    told = run(
        "import sys; sys.modules['libact.query_strategies.multiclass.mdsp'] = None\n"
        "from alcore import UnavailableError\n"
        "from alcore_libact.specs import SPECS\n"
        "specs = {spec.name: spec for spec in SPECS}\n"
        "print(type(specs['libact.margin'].build()).__name__)\n"
        "try:\n"
        "    specs['libact.alce'].build()\n"
        "except UnavailableError as error:\n"
        "    print('mdsp' in str(error))\n"
    )
    assert told.split() == ["Scored", "True"]


def test_shims_are_gone_after_the_import():
    code = (
        "import sys, logging\n"
        "from alcore_libact.specs import SPECS\n"
        "made = [spec.build() for spec in SPECS if spec.missing() is None]\n"
        "logger = logging.getLogger('libact')\n"
        "print('sklearn.externals.joblib' in sys.modules, logger.propagate, logger.handlers)\n"
    )
    assert run(code) == "False True []"


def test_silence_ends_with_the_call():
    import logging
    import warnings

    from alcore_libact.library import quiet

    with pytest.raises(KeyError), quiet():
        raise KeyError
    assert logging.getLogger("libact").propagate
    with pytest.warns(UserWarning, match="heard"):
        warnings.warn("heard", stacklevel=1)


def test_what_is_replaced_comes_back():
    from alcore_libact.hintsvm import home
    from alcore_libact.library import replaced

    before = home.hintsvm_query
    with replaced(home, "hintsvm_query", None):
        assert home.hintsvm_query is None
    assert home.hintsvm_query is before
    with pytest.raises(KeyError), replaced(home, "hintsvm_query", None):
        raise KeyError
    assert home.hintsvm_query is before
