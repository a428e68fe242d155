"""The server on the local network: what is announced, when, and what a fault there costs."""

import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path

import pytest
import structlog
import trio
from mexican_train.protocol import Announcement
from mexican_train.server import logs
from mexican_train.server.discovery import (
    INSTANCE_BYTES_MAX,
    RECHECK_SECONDS,
    Service,
    host_label,
    instance_name,
    keep_announced,
    service_of,
)
from trio.testing import MockClock

DEN = Announcement("the den")
HERE = Service(DEN, 12012, ("192.0.2.7",))
NOWHERE = Service(DEN, 12012, ())


class Network:
    """A responder that notes what it is told, and fails when it is to."""

    def __init__(self) -> None:
        self.told: list[Service | None] = []
        self.fault: Exception | None = None

    def announce(self, service: Service) -> None:
        if self.fault is not None:
            raise self.fault
        self.told.append(service)

    def withdraw(self) -> None:
        self.told.append(None)
        if self.fault is not None:
            raise self.fault


class Evening:
    """A server that announces what `service` is, until it is stopped."""

    def __init__(self) -> None:
        self.network = Network()
        self.lines: list[tuple[str, str]] = []
        self.service = HERE
        self.stopped = trio.Event()

    def _note(self, _log: object, _method: str, line: MutableMapping[str, str]) -> str:
        self.lines.append((line["event"], line.get("reason", "")))
        raise structlog.DropEvent

    async def run(self) -> None:
        log: logs.Log = structlog.wrap_logger(
            structlog.PrintLogger(),
            processors=[self._note],
            wrapper_class=structlog.make_filtering_bound_logger(0),
        )
        await keep_announced(
            lambda: self.service, self.stopped.wait, log=log, responder=self.network
        )


@pytest.fixture
def evening(autojump_clock: MockClock) -> Evening:
    """Time jumps only after the threads had a moment for what they do.

    A test that uses it asks for `autojump_clock` itself, or time would be real.
    """
    autojump_clock.autojump_threshold = 0.05
    return Evening()


async def test_announced_once_and_taken_back(
    autojump_clock: MockClock, evening: Evening, nursery: trio.Nursery
) -> None:
    """The goodbye is said when the server stops, not when it has stopped."""
    nursery.start_soon(evening.run)
    await trio.sleep(3.5 * RECHECK_SECONDS)
    assert evening.network.told == [HERE]
    assert evening.lines == [("announced on the local network", "")]
    evening.stopped.set()
    await trio.sleep(1)
    assert evening.network.told == [HERE, None]


async def test_a_network_that_comes_later(
    autojump_clock: MockClock, evening: Evening, nursery: trio.Nursery
) -> None:
    """Without an address there is one line and nothing to announce; a minute later there is."""
    evening.service = NOWHERE
    nursery.start_soon(evening.run)
    await trio.sleep(2.5 * RECHECK_SECONDS)
    assert evening.network.told == []
    assert evening.lines == [
        ("not announced on the local network", "this machine has no network"),
    ]
    evening.service = HERE
    await trio.sleep(RECHECK_SECONDS)
    moved = Service(DEN, 12012, ("192.0.2.8",))
    evening.service = moved
    await trio.sleep(RECHECK_SECONDS)
    assert evening.network.told == [HERE, moved]
    evening.stopped.set()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(OSError(98, "Address already in use"), "Address already in use"), (KeyError(1), "KeyError")],
)
async def test_a_fault_is_one_line(
    autojump_clock: MockClock,
    evening: Evening,
    nursery: trio.Nursery,
    fault: Exception,
    reason: str,
) -> None:
    """It is tried again without another word; nor does the goodbye harm anybody."""
    evening.network.fault = fault
    nursery.start_soon(evening.run)
    await trio.sleep(5.5 * RECHECK_SECONDS)
    assert evening.lines == [("not announced on the local network", reason)]
    evening.stopped.set()


def test_loopback_is_no_address_for_others() -> None:
    """A server on loopback alone is announced nowhere; one on two addresses under the other."""
    loopback = ("127.0.0.1", 5000), ("::1", 5000)
    assert service_of(DEN, [*loopback], is_everywhere=False) == Service(DEN, 5000, ())
    both = [*loopback, ("192.0.2.7", 5000)]
    assert service_of(DEN, both, is_everywhere=False) == Service(DEN, 5000, ("192.0.2.7",))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("the den", "the den (12012)"),
        ("a.b.", "a.b (12012)"),
        ("\x1b[2J\u202ex", "[2Jx (12012)"),
        ("\U0001f682" * 40, "\U0001f682" * 13 + " (12012)"),
        ("", " (12012)"),
    ],
)
def test_the_name_of_the_instance(name: str, told: str) -> None:
    """One label of the DNS holds 63 bytes; the port keeps two servers of a machine apart."""
    found = instance_name(Service(Announcement(name), 12012, ()))
    assert found == told
    assert len(found.encode()) <= INSTANCE_BYTES_MAX


def test_the_name_of_the_machine_fits_the_dns() -> None:
    assert host_label("ann-laptop.fritz.box") == "annlaptop"
    assert host_label("\u00e9\u00e8") == "mexican-train"
    assert len(host_label("x" * 255)) == 40


NOT_LOADED = """
import sys
from mexican_train.server.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
assert "zeroconf" not in sys.modules
"""


def test_who_announces_nothing_loads_nothing(tmp_path: Path) -> None:
    """A server on loopback is never announced, whatever the options say."""
    options = ["--host=127.0.0.1", "--port=0", "--announce", "--exit-when-idle=0.001"]
    done = subprocess.run(
        [sys.executable, "-c", NOT_LOADED, *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "announced" not in done.stderr
    assert "nobody has been here" in done.stderr
