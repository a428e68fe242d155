"""The collector sees what is new, and the rest only when memory has grown."""

import gc
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import trio
from mexican_train.protocol import CreateTable, JoinTable
from mexican_train.server.tidying import GROWTH, GROWTH_BLOCKS_MIN, TIDY_SECONDS, Tidier
from trio.testing import MockClock, wait_all_tasks_blocked


class Circle:
    """Something that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def tidier() -> Iterator[Tidier]:
    """Give a tidier, and leave the collector as it was."""
    made = Tidier()
    yield made
    made.end()


def test_a_new_circle_is_freed(tidier: Tidier) -> None:
    gone = weakref.ref(Circle())
    assert gone() is not None
    tidier.tidy()
    assert gone() is None


def test_what_has_stayed_is_not_looked_at_again(tidier: Tidier) -> None:
    """However much there is: a pause does not grow with what the server keeps."""
    kept = [Circle() for _ in range(5000)]
    tidier.tidy()
    assert gc.get_freeze_count() > len(kept)
    assert len(gc.get_objects()) < len(kept)


def test_a_circle_that_dies_late_is_freed_once_memory_has_grown(tidier: Tidier) -> None:
    late = Circle()
    gone = weakref.ref(late)
    tidier.tidy()
    del late
    tidier.tidy()
    assert gone() is not None
    grown = sys.getallocatedblocks() * (GROWTH - 1) + GROWTH_BLOCKS_MIN
    ballast = [float(number) for number in range(round(grown))]
    tidier.tidy()
    assert gone() is None
    assert ballast


def test_memory_stays_flat_over_circles_that_die_late(tidier: Tidier) -> None:
    """What only the collector can free is never more than the growth that it waits for."""
    at_first = sys.getallocatedblocks()
    most = at_first * (GROWTH - 1) + GROWTH_BLOCKS_MIN
    freed = 0
    while not freed:
        kept = [Circle() for _ in range(100_000)]
        before = sys.getallocatedblocks()
        tidier.tidy()
        freed = before - sys.getallocatedblocks() > len(kept)
        del kept
        assert sys.getallocatedblocks() - at_first < most


def test_the_collector_is_left_as_it_was() -> None:
    before = gc.get_threshold()
    Tidier().end()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


async def test_it_tidies_by_itself(
    autojump_clock: MockClock, tidier: Tidier, nursery: trio.Nursery
) -> None:
    gone = weakref.ref(Circle())
    nursery.start_soon(tidier.run)
    await trio.sleep(TIDY_SECONDS * 1.5)
    assert gone() is None


# --- what needs no collector --------------------------------------------------------------


@pytest.fixture(params=["memory", "hub", "socket"])
def transport(request: pytest.FixtureRequest) -> Any:
    """Give each way to be connected."""
    return request.param


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Have the collector free nothing meanwhile."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
async def test_a_session_and_a_table_leave_no_circle(autojump_clock: MockClock, hall: Any) -> None:
    """What has ended is freed at once, so that waiting with the collector costs no memory."""
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    await ann.ask(CreateTable, name="t", seats=2)
    await bob.ask(JoinTable, table="t")
    gone = [weakref.ref(session) for session in hall.server._sessions]
    gone.append(weakref.ref(hall.server.lobby._tables["t"]))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ann.answer_heartbeats)
        await bob.send_bytes(b"\xff" * 4)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    await ann.stream.aclose()
    await trio.sleep(1900)
    assert not hall.server.lobby._tables
    assert [each() for each in gone] == [None, None, None]
