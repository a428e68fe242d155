"""Ends a program's work at SIGINT, SIGTERM or SIGHUP, with the exit code that shells expect."""

import signal
from collections.abc import Awaitable, Callable

import trio

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


async def until_stopped(work: Callable[[], Awaitable[int]]) -> int:
    """What `work` returns, or 128 + N when signal N has cancelled it.

    What `work` raises comes out bare. For the main thread.
    """
    exit_code = 0
    stopped_by = 0
    failure: Exception | None = None

    async def watch(task_status: trio.TaskStatus[None]) -> None:
        nonlocal stopped_by
        with trio.open_signal_receiver(*_SIGNALS) as signals:
            task_status.started()
            async for number in signals:
                stopped_by = stopped_by or number
                nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        await nursery.start(watch)
        try:
            exit_code = await work()
        except Exception as error:  # noqa: BLE001 - raised again below, outside of the nursery
            failure = error
        nursery.cancel_scope.cancel()
    if stopped_by:
        return 128 + stopped_by
    if failure is not None:
        raise failure
    return exit_code
