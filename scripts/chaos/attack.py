"""Attackers as a process of their own, for the time of a block."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.children import END_SECONDS

ATTACKERS = Path(__file__).with_name("attackers.py")
WARM_SECONDS = 1.0


@contextmanager
def attacked(
    port: int, seconds: float, *, share: int = 1, seed: int = 1, only: str = ""
) -> Iterator[None]:
    """Attackers for the time of the block: a fraction of them, or one kind only.

    Raises:
        SystemExit: the server answered one of them otherwise than documented.
    """
    command = [sys.executable, str(ATTACKERS), str(port), f"--seconds={seconds + 20}"]
    command += [f"--seed={seed}", f"--share={share}", f"--only={only}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        time.sleep(WARM_SECONDS)
        try:
            yield
        finally:
            if process.stdin is not None:
                process.stdin.close()
            process.wait(END_SECONDS)
    if process.returncode:
        raise SystemExit("the attackers were not answered as documented")
