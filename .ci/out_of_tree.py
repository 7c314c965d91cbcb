"""A third party's view: a plugin made from the template, and a broken one, beside a wheel of alcore.

Builds the wheel, makes a fresh environment with plain pip, and checks that what the template promises holds there.
Standard library only.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BROKEN = """
[project]
name = "alcore-broken"
version = "0.1"
dependencies = ["alcore"]
[project.entry-points.alcore]
broken = "alcore_broken"
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""
EXPERIMENT = """
name = "three"
datasets = ["synthetic.two-moons"]
strategies = ["random", "mine.ratio", "mine.k-center"]
learners = ["mine.centroids"]
seeds = 1
budget = 3
[metrics]
round = ["accuracy", "mine.kappa"]
"""


def call(*command: object, cwd: Path, ok: int = 0) -> str:
    """Run a command, and return what it printed; anything but the expected exit code ends the script."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    print("$", *command, flush=True)
    if done.returncode != ok:
        sys.exit(f"exit code {done.returncode}, expected {ok}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


def main() -> None:
    """Do it all in a temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        call("uv", "build", "--wheel", "--out-dir", folder / "dist", cwd=ROOT)
        (wheel,) = (folder / "dist").glob("alcore-*.whl")
        call(sys.executable, "-m", "venv", folder / "env", cwd=folder)
        bin_ = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        call(bin_ / "pip", "install", "--quiet", wheel, cwd=folder)
        call(bin_ / "alcore", "new-plugin", "mine", folder / "mine", cwd=folder)

        broken = folder / "broken" / "alcore_broken"
        broken.mkdir(parents=True)
        (folder / "broken" / "pyproject.toml").write_text(BROKEN)
        (broken / "__init__.py").write_text("raise RuntimeError('broken on purpose')\n")
        call(bin_ / "pip", "install", "--quiet", f"{folder / 'mine'}[test]", folder / "broken", cwd=folder)
        shutil.move(folder / "mine" / "src", folder / "moved")  # what runs is what was installed

        plugins = {p["entry"]: p for p in json.loads(call(bin_ / "alcore", "plugins", "--json", cwd=folder))["plugins"]}
        assert plugins["mine"]["state"] == "loaded", plugins
        assert plugins["builtin"]["state"] == "loaded", plugins
        assert plugins["broken"]["state"] == "failed", plugins
        assert "broken on purpose" in plugins["broken"]["reason"], plugins
        told = call(bin_ / "alcore", "check", "broken.thing", cwd=folder, ok=2)
        assert "broken on purpose" in told, told

        for thing in ("ratio", "k-center", "centroids", "kappa"):
            call(bin_ / "alcore", "check", f"mine.{thing}", cwd=folder)
        (folder / "three.toml").write_text(EXPERIMENT)
        table = call(bin_ / "alcore", "run", "three.toml", "--quiet", cwd=folder)
        assert "3 completed" in table, table
        assert "mine.k-center" in table, table
        print(call(bin_ / "python", "-m", "pytest", "-q", "mine", cwd=folder)[-200:])
        print("A plugin from outside works, and a broken one harms nobody.")


main()
