"""Renew constraints.txt: the newest versions that pyproject.toml allows, all of them pinned.

Installs the project with its development extra into an empty environment and writes down what
came: names and versions only, never where they came from. Run it with the oldest Python that
the project supports, then run scripts/test.
"""

import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = """\
# Versions of everything that scripts/play and scripts/test install, names and versions only.
# Renew with: .venv/bin/python scripts/lock.py
"""


def main() -> None:
    """Write constraints.txt."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, symlinks=True, with_pip=True)
        pip = [str(Path(folder) / "bin" / "python"), "-m", "pip"]
        subprocess.run([*pip, "install", "--quiet", "-e", ".[dev]"], cwd=ROOT, check=True)
        frozen = subprocess.run(
            [*pip, "freeze", "--all", "--exclude-editable", "--exclude", "pip"],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    pins = sorted(frozen.splitlines(), key=lambda pin: pin.partition("==")[0].lower())
    (ROOT / "constraints.txt").write_text(HEADER + "\n".join(pins) + "\n")


if __name__ == "__main__":
    main()
