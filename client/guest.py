"""Trio as a guest of the event loop that prompt_toolkit needs: the one place where both meet.

Trio owns the application: `show` starts it and ends only when it has ended, so that the terminal
is restored whatever ends the program: signals cancel trio's work, and a fault in painting ends it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import trio
from prompt_toolkit import Application

from .stopping import until_stopped


def run_as_guest(work: Callable[[], Awaitable[int]]) -> int:
    """As `trio.run(until_stopped, work)`, in a program where `work` may `show` a screen."""
    return asyncio.run(_host(work))


async def _host(work: Callable[[], Awaitable[int]]) -> int:
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    trio.lowlevel.start_guest_run(
        until_stopped,
        work,
        run_sync_soon_threadsafe=loop.call_soon_threadsafe,
        done_callback=over.set_result,
        host_uses_signal_set_wakeup_fd=True,  # or trio and asyncio take it from each other
    )
    exit_code: int = (await over).unwrap()
    return exit_code


async def show(application: "Application[None]") -> None:
    """Show `application` until it exits, its terminal is gone, or this task is cancelled.

    What it raises comes out.
    """
    loop = asyncio.get_running_loop()
    soon = trio.lowlevel.current_trio_token().run_sync_soon
    ended, over = trio.Event(), trio.Event()
    faults: list[BaseException] = []

    def fail(_: object, context: dict[str, Any]) -> None:
        """A fault in a callback, such as one in painting: asyncio would log it and go on."""
        faults.append(context.get("exception") or RuntimeError(context["message"]))
        soon(over.set)

    loop.set_exception_handler(fail)
    # its own handler of errors would wait for Enter, and that of Ctrl-C go past trio
    running = application.run_async(set_exception_handler=False, handle_sigint=False)
    ui = loop.create_task(running)
    ui.add_done_callback(lambda _: (soon(ended.set), soon(over.set)))
    try:
        await over.wait()
    finally:
        if application.future is not None and not application.future.done():
            application.exit()
        elif application.future is None:
            ui.cancel()  # it has not come to its first picture, or is done
        with trio.CancelScope(shield=True):
            await ended.wait()
        if not ui.cancelled() and (failure := ui.exception()) is not None:
            faults.append(failure)
    for fault in faults:
        if not isinstance(fault, EOFError | OSError):  # of these the one: the terminal is gone
            raise fault
