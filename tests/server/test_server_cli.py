"""`mt-server` as people start it: what it makes of its options, and real processes."""

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from mexican_train.engine import RuleSet
from mexican_train.server import Config, cli
from mexican_train.server.cli import main
from mexican_train.server.clocks import Terms
from mexican_train.server.door import digest_of

START = [sys.executable, "-m", "mexican_train.server.cli"]


def config(*arguments: str) -> Config:
    """The configuration that these options make."""
    context = main.make_context("mt-server", list(arguments))
    return cli._config(**context.params)


def fault(*arguments: str) -> tuple[int, str]:
    """Exit code and standard error of a start that fails."""
    result = CliRunner().invoke(main, list(arguments))
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    return result.exit_code, result.stderr


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def test_alone_it_opens_no_table() -> None:
    bare = config()
    assert (bare.host, bare.port, bare.tables) == (None, 12012, ())
    assert bare.port == cli.PORT


def test_seats_bots_or_start_open_table_1() -> None:
    for arguments in (["--seats", "4"], ["--bots", "2:random"], ["--start", "full"]):
        (table,) = config(*arguments).tables
        assert (table.name, table.seats, table.start) == ("table-1", 4, "full")
    (table,) = config("--table", "friday", "--bots", "2:random", "--bots", "greedy").tables
    assert (table.name, table.bots) == ("friday", ("random", "random", "greedy"))


def test_tables_give_hints_unless_the_host_says_no() -> None:
    assert config().hints
    assert not config("--no-hints").hints


def test_it_is_announced_unless_the_host_says_no() -> None:
    bare = config()
    assert (bare.announces, bare.announced_name, bare.idle_seconds) == (True, None, None)
    assert not config("--no-announce").announces
    chosen = config("--announce-as=the den", "--exit-when-idle=10")
    assert (chosen.announced_name, chosen.idle_seconds) == ("the den", 600)


def test_clocks_and_absence() -> None:
    """People have no limit and are waited for, unless the host says so."""
    assert config().terms == Terms()
    assert config().grace_seconds == 60
    chosen = config(
        *("--turn-seconds=30", "--bank-seconds=120", "--on-timeout=bot", "--on-absent=skip"),
        "--grace-seconds=20",
    )
    assert chosen.terms == Terms(
        turn_seconds=30, bank_seconds=120, on_timeout="bot", on_absent="skip"
    )
    assert chosen.grace_seconds == 20
    code, told = fault("--bank-seconds=5")
    assert (code, "--turn-seconds" in told) == (2, True)


def test_rules_of_the_table() -> None:
    (table,) = config("--table", "t", "--rules", "bernie", "--rule", "game.rounds=3").tables
    assert (table.rules.name, table.rules["game.rounds"]) == ("bernie (changed)", 3)


def test_rules_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text("[game]\nrounds = 2\n")
    chosen = config("--rules", str(path), "--table", "t")
    assert chosen.tables[0].rules["game.rounds"] == 2
    assert chosen.rules["ours"] is chosen.tables[0].rules


def test_a_short_seed_is_filled_up() -> None:
    assert config("--seed", "ab").fixed_seed == bytes(31) + b"\xab"


def test_settings_come_from_file_environment_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment goes over the file, the command line over both."""
    path = tmp_path / "config.toml"
    path.write_text('port = 1\npace = 2.5\nbots = ["2:random"]\n')
    assert config("--config", str(path)).port == 1
    monkeypatch.setenv("MT_SERVER_PORT", "2")
    chosen = config("--config", str(path))
    assert (chosen.port, chosen.pace_seconds) == (2, 2.5)
    assert chosen.tables[0].bots == ("random", "random")
    assert config("--config", str(path), "--port", "3").port == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rules", "clasic"], "Did you mean classic?"),
        (["--rule", "game.round=3"], "game.rounds"),
        (["--rule", "game.rounds=99"], "game.rounds"),
        (["--seats", "1"], "2 to 8 players"),
        (["--seats", "0"], "2 to 8 players"),
        (["--bots", "gredy"], "greedy"),
        (["--bots", "x y"], "strategy"),
        (["--bots", ":"], "write STRATEGY"),
        (["--bots", "5:greedy"], "do not fit"),
        (["--seats", "3", "--first-seat", "3"], "0 to 2"),
        (["--seed", "xyz"], "hexadecimal"),
        (["--exit-when-idle", "0"], "--exit-when-idle"),
        (["--port", "99999"], "--port"),
        (["--table", "a\x1bb"], "printable"),
        (["--exit-when-done"], "--table"),
        (["--rules", "missing.toml"], "missing.toml"),
        (["--config", "missing.toml"], "missing.toml"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_bad_usage_is_one_line_and_code_2(arguments: list[str], says: str) -> None:
    code, line = fault(*arguments)
    assert code == 2
    assert line.startswith("mt-server: ")
    assert says in line


def test_a_setting_that_does_not_exist_is_named(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("prot = 1\n")
    code, line = fault("--config", str(path))
    assert code == 2
    assert "'prot'" in line


@pytest.mark.parametrize("command", [[], ["rules"], ["backup"]])
def test_help_opens_with_an_example(command: list[str]) -> None:
    result = CliRunner().invoke(main, [*command, "--help"])
    assert result.output.startswith(" ".join(["Example:\n  mt-server", *command]))
    assert isinstance(main, click.Command)


# --- the store ----------------------------------------------------------------------------


def test_games_are_kept_in_a_file_of_the_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a free port, or on request, they are kept in memory."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert config().database == tmp_path / "mexican-train" / "server-12012.db"
    assert config("--port", "9").database == tmp_path / "mexican-train" / "server-9.db"
    assert config("--port", "0").database is None
    assert config("--db", ":memory:").database is None
    assert config("--port", "0", "--db", "mine.db").database == Path("mine.db")


def test_a_backup_names_what_it_copied(tmp_path: Path) -> None:
    from mexican_train.server.sqlite_schema import open_database  # noqa: PLC0415

    store, copy = tmp_path / "s.db", tmp_path / "copy.db"
    open_database(store).close()
    result = CliRunner().invoke(main, ["--db", str(store), "backup", str(copy)])
    assert (result.exit_code, result.output) == (0, f"{store} is copied to {copy}.\n")
    code, line = fault("--db", str(store), "backup", str(copy))
    assert code == 1
    assert "File exists" in line
    code, line = fault("--db", ":memory:", "backup", str(copy))
    assert code == 2
    assert "--db" in line


# --- who may come in ----------------------------------------------------------------------


def test_a_password_file_is_kept_as_a_digest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "password"
    path.touch(mode=0o600)
    path.write_text("sesame\n")
    chosen = config("--password-file", str(path))
    assert chosen.password_digest == digest_of("sesame")
    assert "sesame" not in repr(chosen)
    path.chmod(0o440)
    config("--password-file", str(path))
    assert capsys.readouterr().err == ""
    path.chmod(0o604)
    config("--password-file", str(path))
    assert capsys.readouterr().err == (
        f"mt-server: others may read the password in {path}: chmod 600 {path}\n"
    )
    assert config().password_digest is None


def test_entry_that_cannot_be_kept_is_one_line(tmp_path: Path) -> None:
    empty, missing = tmp_path / "empty", tmp_path / "missing"
    empty.touch()
    for arguments, code, says in [
        (["--password-file", str(empty)], 1, f"no password in {empty}"),
        (["--password-file", str(missing)], 1, f"{missing}: No such file"),
        (["--tls-cert", str(empty)], 2, "--tls-key"),
        (["--tls-key", str(empty)], 2, "--tls-cert"),
        (["--tls", "self-signed", "--tls-cert", str(empty), "--tls-key", "k"], 2, "together"),
        (["--tls-cert", str(empty), "--tls-key", str(empty)], 1, str(empty)),
        (["--tls", "on"], 2, "self-signed"),
    ]:
        exit_code, line = fault(*arguments)
        assert exit_code == code, line
        assert says in line


def test_the_own_certificate_lies_beside_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the data folder where games are kept in memory, so that the fingerprint stays."""
    pytest.importorskip("cryptography", reason="the extra tls is not installed")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    here = config("--tls", "self-signed", "--db", str(tmp_path / "games.db")).tls
    assert here is not None
    assert (tmp_path / "tls-self-signed.pem").exists()
    for arguments in (["--port", "0"], ["--port", "7"]):
        found = config("--tls", "self-signed", *arguments).tls
        assert found is not None
        assert found.fingerprint != here.fingerprint
    assert (tmp_path / "data" / "mexican-train" / "tls-self-signed.pem").exists()


def test_a_copy_of_the_own_key_that_everybody_may_read_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As one is that was copied from a backup."""
    pytest.importorskip("cryptography", reason="the extra tls is not installed")
    arguments = ["--tls", "self-signed", "--db", str(tmp_path / "games.db")]
    config(*arguments)
    assert capsys.readouterr().err == ""
    path = tmp_path / "tls-self-signed.pem"
    path.chmod(0o644)
    config(*arguments)
    assert capsys.readouterr().err == (
        f"mt-server: others may read the key in {path}: chmod 600 {path}\n"
    )


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    code, line = fault("--tls", "self-signed", "--db", str(tmp_path / "games.db"))
    assert code == 1
    assert "pip install 'mexican-train[tls]'" in line


# --- the rule card ------------------------------------------------------------------------


def card(*arguments: str) -> str:
    """What `mt-server rules` prints."""
    result = CliRunner().invoke(main, ["rules", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.output


def test_the_card_is_every_option_as_a_sentence() -> None:
    rules = RuleSet.preset("bernie")
    said = " ".join(card("bernie").split())
    assert said.startswith(f"Rules bernie, hash {rules.hash} ")
    assert all(" ".join(line.text.split()) in said for line in rules.card())
    assert "Rules classic" in card()
    assert max(map(len, card("pagat").splitlines())) <= 96


def test_a_difference_names_both_sides_and_nothing_else() -> None:
    bernie, classic = RuleSet.preset("bernie"), RuleSet.preset("classic")
    lines = card("bernie", "--diff", "classic").splitlines()
    assert [each for each in lines if re.fullmatch(r"[a-z_]+\.[a-z_]+", each)] == [
        *bernie.differences(classic)
    ]
    assert sum(each.startswith("  bernie: ") for each in lines) == len(bernie.differences(classic))
    assert card("nm", "--diff", "nm").endswith("They are the same.\n")


def test_the_printed_file_makes_the_same_rules(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(card("bernie", "--toml"))
    assert RuleSet.from_toml(path.read_text(), name="ours") == RuleSet.preset("bernie")
    assert "They are the same." in card(str(path), "--diff", "bernie")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["rules", "berny"], "Did you mean bernie?"),
        (["rules", "classic", "--diff", "clasic"], "Did you mean classic?"),
        (["rules", "missing.toml"], "missing.toml"),
        (["rules", "--toml", "--diff", "nm"], "do not go together"),
        (["ruls"], "rules"),
    ],
)
def test_bad_usage_of_a_subcommand_is_one_line_and_code_2(arguments: list[str], says: str) -> None:
    code, line = fault(*arguments)
    assert code == 2
    assert says in line


def test_settings_for_serving_do_not_reach_a_subcommand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config.toml"
    path.write_text('rules = "bernie"\n')
    result = CliRunner().invoke(main, ["--config", str(path), "rules"])
    assert result.output.startswith("Rules classic")
    monkeypatch.setenv("MT_SERVER_RULES", "bernie")
    assert card().startswith("Rules classic")


# --- real processes -----------------------------------------------------------------------


@pytest.mark.system
def test_a_taken_port_is_one_line_and_code_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("--host", "127.0.0.1", "--port", port)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"mt-server: cannot listen on 127.0.0.1:{port}: another program listens there\n"
    )


@pytest.mark.system
def test_a_game_of_bots_ends_with_code_0_and_one_seed_gives_one_result() -> None:
    lines = []
    for _ in range(2):
        done = run(
            *("--host", "127.0.0.1", "--port", "0", "--bots", "3:greedy", "--seats", "3"),
            *("--seed", "7", "--exit-when-done", "--log-format", "json"),
            *("--rule", "game.rounds=2"),
        )
        assert done.returncode == 0
        assert re.fullmatch(r"mt-client 127\.0\.0\.1:\d+\n", done.stdout)
        log = [json.loads(line) for line in done.stderr.splitlines()]
        lines.append([each.get("scores", each.get("totals")) for each in log])
        assert log[0]["level"] == "warning"
    assert lines[0] == lines[1]
    assert sum(1 for each in lines[0] if each) == 3


@pytest.mark.system
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_code_0(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path) as process:
        process.send_signal(number)
        assert process.wait(timeout=30) == 0


@pytest.mark.system
def test_it_ends_when_its_standard_input_does(tmp_path: Path) -> None:
    with started(tmp_path, "--until-stdin-closes") as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A server that ends by itself."""
    return subprocess.run(
        [*START, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def started(tmp_path: Path, *arguments: str) -> Any:
    """A server that accepts connections."""
    ready = tmp_path / "ready"
    process = subprocess.Popen(
        [
            *(*START, "--host", "127.0.0.1", "--port", "0"),
            *("--ready-file", str(ready), *arguments),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("mt-client ")
    return process
