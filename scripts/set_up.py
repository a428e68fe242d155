"""Make `.venv` ready: create, repair or renew it, or say in one line what is missing.

Called by setup.sh as `set_up.py CALLER [EXTRA…]`, with the standard library alone. A stamp inside
`.venv` tells what was installed from which pyproject.toml and constraints.txt; it is gone while
an installation runs, and what is found without one, but with the mark of a beginning, is made anew.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMP = VENV / "set-up.json"
BEGUN = VENV / "set-up.begun"
INPUTS = (ROOT / "pyproject.toml", ROOT / "constraints.txt")

Stamp = dict[str, object]


class SetUpError(Exception):
    """Set-up cannot go on; the text is the one line that says why."""


def digest_inputs() -> str:
    """Return a hash of everything that decides what is installed."""
    digest = hashlib.sha256()
    for path in INPUTS:
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def python_version() -> str:
    """Return the version of the running Python as in "3.11"."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def read_stamp() -> Stamp | None:
    """Return what the last complete set-up wrote, or None without one for this place.

    A virtual environment holds absolute paths: after the repository was moved it is worth nothing.
    """
    try:
        stamp = json.loads(STAMP.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(stamp, dict) or stamp.get("root") != str(ROOT):
        return None
    return stamp


def recorded_extras(stamp: Stamp | None) -> set[str]:
    """Return the extras that `.venv` holds according to its stamp."""
    extras = stamp.get("extras") if stamp else None
    return {str(extra) for extra in extras} if isinstance(extras, list) else set()


def is_other_python_asked(stamp: Stamp) -> bool:
    """Tell whether PYTHON names another version than the one in `.venv`."""
    return bool(os.environ.get("PYTHON")) and stamp.get("python") != python_version()


def is_ready(extras: set[str]) -> bool:
    """Tell whether `.venv` can be used as it is."""
    stamp = read_stamp()
    return (
        stamp is not None
        and VENV_PYTHON.exists()
        and stamp.get("inputs") == digest_inputs()
        and extras <= recorded_extras(stamp)
        and not is_other_python_asked(stamp)
    )


def is_mendable(uv: str | None) -> bool:
    """Tell whether an installation into the present `.venv` can succeed.

    One that somebody made by hand, without a stamp, is kept. One whose set-up was cut short is
    not: pip takes half-written packages for installed ones.
    """
    if BEGUN.exists() or not VENV_PYTHON.exists():
        return False
    stamp = read_stamp()
    if stamp is None and STAMP.exists():
        return False
    if stamp is not None and is_other_python_asked(stamp):
        return False
    probe = "import sys; sys.exit(sys.version_info < (3, 11))" if uv else "import pip"
    tried = subprocess.run([VENV_PYTHON, "-c", probe], check=False, capture_output=True)
    return tried.returncode == 0


def run(command: list[str], lock: int) -> None:
    """Run a command in silence; it inherits the lock, which so outlives a killed caller.

    Raises:
        SetUpError: The command failed; everything that it said has been shown.
    """
    settings = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | settings,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=[lock],
    )
    if done.returncode:
        sys.stderr.buffer.write(done.stdout)
        line = f"set-up failed; what `{' '.join(command)}` said stands above."
        raise SetUpError(line)


def require_venv(uv: str | None) -> None:
    """Make sure that this Python can create `.venv`.

    Raises:
        SetUpError: It comes without venv or ensurepip, as Debian's does.
    """
    needed = ["venv"] if uv else ["venv", "ensurepip"]
    if not all(importlib.util.find_spec(module) for module in needed):
        version = python_version()
        line = (
            f"Python {version} ({sys.executable}) cannot make virtual environments: install venv "
            f"for it (Debian and Ubuntu: apt install python{version}-venv), or install uv."
        )
        raise SetUpError(line)


def create(uv: str | None, lock: int) -> None:
    """Create `.venv` from nothing, with pip inside where there is no uv."""
    import venv  # noqa: PLC0415 - may be missing, see above

    if VENV.exists():
        VENV_PYTHON.unlink(missing_ok=True)  # a removal cut short must not look like a good one
        shutil.rmtree(VENV)
    VENV.mkdir()
    BEGUN.touch()
    venv.create(VENV, symlinks=True)
    if not uv:
        run([str(VENV_PYTHON), "-m", "ensurepip", "--upgrade", "--default-pip"], lock)


def install(uv: str | None, extras: set[str], lock: int) -> None:
    """Install the project, editable, with the extras and the pinned versions."""
    project = f".[{','.join(sorted(extras))}]" if extras else "."
    command = [uv, "pip"] if uv else [str(VENV_PYTHON), "-m", "pip"]
    command += ["install", "-c", "constraints.txt", "-e", project]
    command += ["--python", str(VENV_PYTHON)] if uv else []
    run(command, lock)


def set_up(extras: set[str], lock: int) -> None:
    """Create `.venv` if need be, install into it and stamp it; it keeps extras that it had."""
    uv = shutil.which("uv")
    inputs = digest_inputs()
    extras = extras | recorded_extras(read_stamp())
    mendable = is_mendable(uv)
    if not mendable:
        require_venv(uv)
    print("Setting up .venv; the first time this takes a minute.", file=sys.stderr)
    if mendable:
        BEGUN.touch()
    else:
        create(uv, lock)
    STAMP.unlink(missing_ok=True)
    install(uv, extras, lock)
    version = subprocess.run(
        [VENV_PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    stamp = {"root": str(ROOT), "python": version, "inputs": inputs, "extras": sorted(extras)}
    STAMP.write_text(json.dumps(stamp) + "\n")
    BEGUN.unlink()


@contextlib.contextmanager
def held_lock() -> Iterator[int]:
    """Hold the set-up lock of this repository and give its file descriptor; waits if need be.

    pyproject.toml serves as the lock file, since `.venv` itself may be made anew. A file system
    that cannot lock is used without a lock.
    """
    with INPUTS[0].open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another set-up of .venv.", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            pass
        yield file.fileno()


def main(caller: str, *wanted: str) -> int:
    """Make `.venv` ready with these extras; return the exit code."""
    extras = set(wanted)
    try:
        if not is_ready(extras):
            with held_lock() as lock:
                if not is_ready(extras):
                    set_up(extras, lock)
    except (SetUpError, OSError) as error:
        print(f"{caller}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
