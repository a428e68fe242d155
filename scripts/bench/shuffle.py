"""The yardstick: how long `random.shuffle` of 90 ints takes on this machine, at this moment."""

import random
import time

SHUFFLE_US = 17.0
"""On the machine where the goals were set."""


def shuffle_us() -> float:
    """Microseconds of CPU time for one `random.shuffle` of 90 ints."""
    tiles = list(range(90))
    start = time.process_time()
    for _ in range(2000):
        random.shuffle(tiles)
    return (time.process_time() - start) / 2000 * 1e6
