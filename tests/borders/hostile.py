"""Parts that end, silence, hang, falsify or dirty the process that they run in; a plugin file of test_hostile.py."""

import contextlib
import ctypes
import gc
import locale
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.naive_bayes import GaussianNB

import alcore

print("printed at import")


class OwnError(BaseException):
    pass


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Unpicklable(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.lock = threading.Lock()

    def __reduce__(self):
        raise TypeError("cannot be pickled")


def raising(error):
    def act():
        raise error

    return act


def printing():
    print("printed in query")
    os.write(1, b"written to descriptor 1\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)


def patching():
    np.argsort = lambda *_args, **_more: np.zeros(1, dtype=int)
    np.argpartition = np.argsort
    GaussianNB.predict_proba = lambda self, X: np.full((len(X), 2), 0.5)
    sys.modules["numpy.linalg"] = None


def settings():
    os.environ.clear()
    np.seterr(all="raise")
    sklearn.set_config(assume_finite=True)
    sys.setrecursionlimit(150)
    gc.disable()
    locale.setlocale(locale.LC_ALL, "C")
    warnings.simplefilter("error")


def late(seconds, act):
    threading.Timer(seconds, act).start()


def forking():
    if os.fork() == 0:
        return  # the child goes on with the run, as its parent does


def growing():
    chunks = []
    while True:
        chunks.append(np.ones(20_000_000))


def closing():
    for number in range(3, 100):
        with contextlib.suppress(OSError):
            os.close(number)


def alarm():
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(2)


ACTS = {
    "exit-0": lambda: sys.exit(0),
    "exit-3": lambda: sys.exit(3),
    "interrupt": raising(KeyboardInterrupt()),
    "own-base": raising(OwnError("mine")),
    "mute": raising(Mute()),
    "unpicklable": raising(Unpicklable("locked")),
    "surrogate": raising(ValueError("a \ud800 and a \0")),
    "long": raising(ValueError("x" * 50_000_000)),
    "os-exit-0": lambda: os._exit(0),
    "os-exit-9": lambda: os._exit(9),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": lambda: ctypes.string_at(0),
    "closing": closing,
    "hang": lambda: ctypes.PyDLL(None).sleep(600),
    "growing": growing,
    "chdir": lambda: os.chdir("/"),
    "settings": settings,
    "patching": patching,
    "printing": printing,
    "random": lambda: (np.random.seed(0), random.seed(0)),
    "forking": forking,
    "alarm": alarm,
    "late-exit": lambda: late(1.0, lambda: os._exit(0)),
    "streams": lambda: (sys.stdout.close(), os.close(1), os.close(2)),
}


@alcore.scores("hostile", summary="Does what it is told to in its second round", learner=False)
def hostile(view, *, act: str):
    if view.t == 2:
        ACTS[act]()
    return view.unlabeled * 1.0


@alcore.round_metric(
    "hostile-metric", summary="Does each act that has a file in a folder, once", tasks="classification"
)
def metric(scored, *, folder: str):
    for file in sorted(Path(folder).iterdir()):
        with contextlib.suppress(FileNotFoundError):
            file.unlink()
            ACTS[file.name.partition(".")[0]]()
            break
    return float(scored.pred[0] == scored.y[0])


@alcore.strategy("hostile-setup", summary="Exits in setup", learner=False)
class Setup:
    def setup(self, pool, rng):
        raise SystemExit(0)

    def query(self, view, n):
        return view.unlabeled[:n]


class Quitter(GaussianNB):
    def fit(self, X, y):
        if len(y) > 6:
            raise SystemExit(0)
        return super().fit(X, y)


class Killer(GaussianNB):
    def predict_proba(self, X):
        os._exit(0)


class Patcher(GaussianNB):
    def fit(self, X, y):
        patching()
        return super().fit(X, y)


def vanishing():
    if multiprocessing.parent_process() is not None:  # the coordinator makes it too, when it plans
        os._exit(0)
    return GaussianNB()


def learner(name, make):
    return alcore.LearnerSpec(name=name, summary="Does harm", make=make, levels={"proba"})


quitter, killer, patcher = learner("quitter", Quitter), learner("killer", Killer), learner("patcher", Patcher)
gone = learner("vanishing", vanishing)
