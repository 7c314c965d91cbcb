"""A second Python process, in which texts have other hashes: it is asked what was asked here.

``python -m alcore.testing.elsewhere`` is that process. It is started once, when it is first needed, and ends with the
one that started it.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import pickle
import pickletools
import subprocess
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from unittest import SkipTest

if TYPE_CHECKING:
    from alcore.testing.strategies.bench import StrategyBench


def drive_elsewhere(bench: StrategyBench) -> list[list[list[int]]]:
    """Return, for each toy of ``toys_by_task``, the rows that the strategy asks for there, round by round.

    Raises
    ------
    unittest.SkipTest
        If the strategy cannot be found from another process.
    AssertionError
        If it fails there, with its traceback.
    """
    try:
        # Functions of a spec that were called already are not needed, and are often lambdas.
        spec = replace(bench.spec, adapt=None, unavailable=None)
        wanted = pickle.dumps(replace(bench, spec=spec))
    except Exception as error:
        raise SkipTest(f"it cannot be sent to another process ({type(error).__name__}: {error})") from error
    named = {text for _, text, _ in pickletools.genops(wanted) if isinstance(text, str) and text in sys.modules}
    if "__main__" in named:
        raise SkipTest("it is defined in __main__; put it into a module, or a file of its own")
    files = {name: file for name in named if (file := getattr(sys.modules[name], "__file__", None))}
    found, answer = _other().ask((files, wanted))
    if not found:
        raise SkipTest(f"it cannot be found from another process ({answer}); put it into a module")
    if isinstance(answer, str):
        raise AssertionError(f"it fails in another process:\n{answer}")
    asked: list[list[list[int]]] = answer
    return asked


class _Other:
    """The other process, and the pipes to it."""

    def __init__(self) -> None:
        seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
        about = {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "alcore.testing.elsewhere"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | about,
        )
        atexit.register(self.close)

    def ask(self, question: Any) -> Any:
        """Return the answer to a question; an AssertionError if the process dies of it."""
        assert self.process.stdin is not None  # noqa: S101 - they are pipes
        assert self.process.stdout is not None  # noqa: S101
        try:
            pickle.dump(question, self.process.stdin)
            self.process.stdin.flush()
            return pickle.load(self.process.stdout)  # noqa: S301 - our own process
        except (EOFError, OSError) as error:
            self.close()
            raise AssertionError("it ends another process that it is asked in") from error

    def close(self) -> None:
        """End it, and let the next question start another."""
        atexit.unregister(self.close)
        _other.cache_clear()
        self.process.kill()
        self.process.communicate()


@functools.cache
def _other() -> _Other:
    return _Other()


class _Finder(pickle.Unpickler):
    """Finds modules by their files where they cannot be imported: those of tests, and plugin files."""

    def __init__(self, file: Any, files: dict[str, str]) -> None:
        super().__init__(file)
        self.files = files

    def find_class(self, module: str, name: str) -> Any:
        """Return what is called so."""
        try:
            return super().find_class(module, name)
        except ImportError:
            if module not in self.files:
                raise
            spec = importlib.util.spec_from_file_location(module, self.files[module])
            if spec is None or spec.loader is None:
                raise
            sys.modules[module] = made = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(made)
            return super().find_class(module, name)


def _answer(files: dict[str, str], wanted: bytes) -> tuple[bool, list[list[list[int]]] | str]:
    """Return whether what is wanted was found, and the rows; else why not, or the traceback of what it raised."""
    from io import BytesIO

    from alcore.testing.guards import one_thread

    try:
        bench: StrategyBench = _Finder(BytesIO(wanted), files).load()
    except Exception as error:  # noqa: BLE001 - it is told, in the other process
        return False, f"{type(error).__name__}: {error}"
    try:
        with one_thread():
            return True, [bench.drive(toy) for toy in bench.toys_by_task()]
    except Exception:  # noqa: BLE001 - as above
        return True, traceback.format_exc(limit=-4)


def _serve(questions: BinaryIO, answers: BinaryIO) -> None:
    while True:
        try:
            files, wanted = pickle.load(questions)  # noqa: S301 - of the process that started this one
        except EOFError:
            return
        pickle.dump(_answer(files, wanted), answers)
        answers.flush()


def _main() -> None:
    # What a strategy prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 1)
    _serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
