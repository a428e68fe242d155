"""The built wheel, in an empty environment in another folder, serves and plays a game."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[2]
GAME = """
import json, pathlib, subprocess, sys, time
from mexican_train.client import Bot, run
import mexican_train.engine
assert sys.prefix in mexican_train.engine.__file__, mexican_train.engine.__file__
bin = pathlib.Path(sys.executable).parent
ready = pathlib.Path("ready.json")
server = subprocess.Popen([bin / "mt-server", "--host=127.0.0.1", "--port=0",
    "--ready-file", ready, "--seats=3", "--bots=2:greedy", "--rule=game.rounds=1", "--pace=0",
    "--exit-when-done"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
with server:
    while not ready.exists():
        assert server.poll() is None
        time.sleep(0.01)
    class Mine(Bot):
        def choose(self, view, choices):
            return choices[0]
    subprocess.run([bin / "mt-client", "--lang=nb"], check=False)  # says what is missing: a server
    port = json.loads(ready.read_text())["port"]
    print(run(Mine(), f"127.0.0.1:{port}").places)
    sys.exit(server.wait(60))
"""


def test_wheel_serves_and_plays(tmp_path: Path) -> None:
    """Nothing of the repository is needed but what the wheel carries."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist"]
    clone = tmp_path / "source"
    _copy_tracked(clone)
    subprocess.run(build, cwd=clone, check=True, capture_output=True)
    (wheel,) = (clone / "dist").glob("*.whl")
    home = tmp_path / "elsewhere"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "-q", wheel],
        check=True,
        capture_output=True,
    )
    # the libraries come from this environment: only its folder is named, so that the editable
    # installation in it is not found
    packages = Path(sysconfig.get_path("purelib"))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (home / "lib" / version / "site-packages" / "libraries.pth").write_text(f"{packages}\n")
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-W", "error", "-c", GAME],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\[\d, \d, \d\]\n", done.stdout)
    assert "nevn en tjener" in done.stderr


def _copy_tracked(to: Path) -> None:
    """What git would commit now, so that left-over build folders play no part."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source = ROOT / name
        if source.is_file() and not name.startswith((".typing", "tests")):
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
