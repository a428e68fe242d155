"""What goes wrong at the start: one clear line on standard error, and the right exit code."""

import re
import socket

import pytest
from mexican_train.protocol import ClientConnection, Hello, Welcome

from tests.system.processes import run_program, running_server

pytestmark = pytest.mark.system

PROGRAMS = ("mt-server", "mt-client", "mt-bot", "mt-replay")


def one_line(text: str) -> str:
    """The only line of an error text, which begins with the program's name."""
    assert re.fullmatch(r"mt-\w+: [^\n]+\n", text), text
    assert not re.match(r"(mt-\w+: ){2}", text), text
    return text


def test_a_taken_port_is_named() -> None:
    """A second server on the same port says so and exits 1."""
    with running_server() as server:
        done = run_program("mt-server", "--host=127.0.0.1", f"--port={server.port}")
    assert done.returncode == 1
    assert str(server.port) in one_line(done.stderr)


def test_nobody_there_is_named() -> None:
    """A client that finds nobody names the address and exits 1."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for name, *options in (["mt-client"], ["mt-bot", "--strategy=random"]):
        done = run_program(name, f"127.0.0.1:{port}", *options)
        assert done.returncode == 1
        assert f"127.0.0.1:{port}" in one_line(done.stderr)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--table=t", "--rules=clasic"], "classic"),
        (["--table=t", "--rule=set.max_pips=9"], "set.max_pip"),
        (["--table=t", "--rule=set.max_pip=10"], "6, 9, 12, 15, 18"),
        (["--table=t", "--rule=draw.limit"], "KEY=VALUE"),
        (["--seats=12"], "2 to 8"),
        (["--seats=4", "--bots=3:gredy"], "greedy"),
        (["--seats=2", "--bots=3:greedy"], "seats"),
        (["--seed=xyz"], "hex"),
        (["--port=99999"], "65535"),
    ],
)
def test_bad_options_of_the_server(options: list[str], says: str) -> None:
    """Bad usage exits 2 and names what would do."""
    done = run_program("mt-server", "--host=127.0.0.1", *options)
    assert done.returncode == 2
    assert says in one_line(done.stderr)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["mt-client"], "HOST"),
        (["mt-client", "a:b"], "'b' is no port"),
        (["mt-client", "--solo", "--strategy=gredy"], "greedy"),
        (["mt-client", "--solo", "--rules=clasic"], "classic"),
        (["mt-client", "--solo", "--bots=13"], "14"),
        (["mt-client", "--colour"], "--colour"),
        (["mt-bot", "127.0.0.1", "--strategy=gredy"], "greedy"),
        (["mt-bot", "--strategy=greedy"], "HOST"),
    ],
)
def test_bad_options_of_the_clients(options: list[str], says: str) -> None:
    """Bad usage exits 2 and names what would do."""
    done = run_program(*options)
    assert done.returncode == 2, done.stderr
    assert says in one_line(done.stderr)


def test_the_version_has_one_form() -> None:
    """All programs tell it alike."""
    versions = [run_program(name, "--version") for name in PROGRAMS]
    assert {done.returncode for done in versions} == {0}
    told = {done.stdout.removeprefix(name) for name, done in zip(PROGRAMS, versions, strict=True)}
    assert len(told) == 1
    assert re.fullmatch(r", version \d+\.\d+\.\d+\n", told.pop())


def test_a_taken_name_is_refused_in_one_line() -> None:
    """Nobody can come in under a name that is in use."""
    wire = ClientConnection()
    with (
        running_server() as server,
        socket.create_connection(("127.0.0.1", server.port), 10) as peer,
    ):
        peer.sendall(wire.send(Hello(versions=(1, 1), kind="person", name="Ann")))
        assert isinstance(next(iter(wire.receive_data(peer.recv(4096)))), Welcome)
        done = run_program("mt-client", server.address, "--plain", "--name=Ann")
    assert done.returncode == 1
    assert "Ann" in one_line(done.stderr)
