"""Tidying: the garbage collector's work in small pieces, so that no move waits for all of it.

Left alone, the collector looks at everything again and again: 50 ms and more, in which nobody is
served. Here it sees what is new, in small pieces; what is still there then is frozen, out of
its sight. What dies there in a circle (sessions and tables leave none) waits until memory
has doubled: then all is seen.
"""

import gc
import sys
from typing import Final

import trio

TIDY_SECONDS: Final = 0.25
NEW_OBJECTS_MAX: Final = 50_000
"""So many at the most in one go. Lower, and what a batch of moves needs for itself is looked at."""
GROWTH: Final = 2.0
GROWTH_BLOCKS_MIN: Final = 1_000_000
"""Of memory, about 64 bytes each: a server with little to do has no reason to look at it all."""
NEVER: Final = 1_000_000


class Tidier:
    """Has the collector of this process in hand, from the moment it is made until `end`."""

    def __init__(self) -> None:
        self._before: Final = gc.get_threshold()
        gc.set_threshold(NEW_OBJECTS_MAX, NEVER, NEVER)
        self._blocks_max = 0.0
        self.tidy_all()

    async def run(self) -> None:
        """Tidy up again and again, for ever."""
        while True:
            await trio.sleep(TIDY_SECONDS)
            self.tidy()

    def tidy(self) -> None:
        """Look at what is new; at everything, once memory has doubled."""
        if sys.getallocatedblocks() > self._blocks_max:
            self.tidy_all()
        else:
            gc.collect(0)
            gc.freeze()

    def tidy_all(self) -> None:
        """Look at everything."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        blocks = sys.getallocatedblocks()
        self._blocks_max = max(blocks * GROWTH, blocks + GROWTH_BLOCKS_MIN)

    def end(self) -> None:
        """Leave the collector as it was found."""
        gc.unfreeze()
        gc.set_threshold(*self._before)
