"""A thread of one's own for work that blocks, such as syncing to a disk.

trio's own way to a thread takes about twice as long there and back, which for a single move is
as much as the disk itself needs.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, Generic, TypeVar

import trio

_T = TypeVar("_T")


class OwnThread:
    """Does one thing after the other, in the order asked for; it starts with the first."""

    def __init__(self, name: str) -> None:
        self._name: Final = name
        self._jobs: Final = SimpleQueue[_Job[Any] | None]()
        self._thread: Thread | None = None

    async def run(self, work: Callable[[], _T]) -> _T:
        """What `work` returns or raises. It is waited for, cancelled or not."""
        if self._thread is None:
            # a daemon: were it ever left behind, it would not keep the program from ending
            self._thread = Thread(target=self._do, name=self._name, daemon=True)
            self._thread.start()
        job = _Job(work)
        self._jobs.put(job)
        await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.FAILED)
        return job.outcome()

    def end(self) -> None:
        """Let the thread end; nothing may be under way."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _do(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.do()


class _Job(Generic[_T]):
    """Work, and the task that waits for it."""

    def __init__(self, work: Callable[[], _T]) -> None:
        self._work = work
        self._task = trio.lowlevel.current_task()
        self._token = trio.lowlevel.current_trio_token()
        self._outcome: Callable[[], _T] | None = None

    def do(self) -> None:
        """Do it, in the thread, and wake the task."""
        try:
            returned = self._work()
            self._outcome = lambda: returned
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._outcome = _raises(error)
        self._token.run_sync_soon(trio.lowlevel.reschedule, self._task)

    def outcome(self) -> _T:
        """What came of it, once it is done."""
        if self._outcome is None:
            raise RuntimeError("it is not done yet")
        return self._outcome()


def _raises(error: BaseException) -> Callable[[], Any]:
    def outcome() -> Any:
        raise error

    return outcome
