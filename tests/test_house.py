"""Facts about the source: what is packaged, shown, promised and started.

The law of imports has a file of its own. A rule that stands here is not repeated in review.
"""

import ast
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PROJECT["tool"]["setuptools"]
PACKAGES: list[str] = SETUPTOOLS["packages"]
FOLDERS: dict[str, str] = SETUPTOOLS["package-dir"]
COMMANDS: dict[str, str] = PROJECT["project"]["scripts"]
SUFFIXES = {".py", ".md", ".toml", ".txt", ".sh", ""}
NOT_OURS = {"build", "dist", "__pycache__"}


def files(*suffixes: str) -> list[Path]:
    """Return the project's own files with these suffixes, relative to the repository."""
    found = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [
            name
            for name in inner
            if name not in NOT_OURS
            and not name.endswith(".egg-info")
            and (name == ".ci" or not name.startswith("."))
        ]
        found += [Path(folder, name).relative_to(ROOT) for name in names]
    return sorted(path for path in found if path.suffix in suffixes and path.name[0] != ".")


PYTHON_FILES = files(".py")


# --- packaging ------------------------------------------------------------------------------


def test_every_package_is_listed() -> None:
    """A folder with an `__init__.py` that pyproject.toml does not list is missing from a wheel."""
    present = {path.parent for path in PYTHON_FILES if path.name == "__init__.py"}
    assert {FOLDERS[package] for package in PACKAGES} == {path.as_posix() for path in present}
    assert sorted(PACKAGES) == PACKAGES == sorted(FOLDERS)
    for package, folder in FOLDERS.items():
        assert package == f"mexican_train.{folder.replace('/', '.')}"


def test_every_module_is_in_a_package() -> None:
    """No folder inside a package holds modules without being a package itself."""
    tops = {folder.split("/")[0] for folder in FOLDERS.values()}
    homes = {path.parent.as_posix() for path in PYTHON_FILES if path.parts[0] in tops}
    assert homes == set(FOLDERS.values())


def test_all_data_is_packaged() -> None:
    """Each pattern of package-data finds something, and no data file is left out of the wheel."""
    packaged: set[Path] = set()
    for package, patterns in SETUPTOOLS["package-data"].items():
        for pattern in patterns:
            found = set((ROOT / FOLDERS[package]).glob(pattern))
            assert found, f"{package}: {pattern}"
            packaged |= found
    present = {
        path
        for folder in FOLDERS.values()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"} and path.name[0] != "."
    }
    assert present == packaged


def test_type_checkers_find_every_package() -> None:
    """`.typing` holds one relative link for each top folder."""
    links = {path.name: path for path in (ROOT / ".typing" / "mexican_train").iterdir()}
    assert set(links) == {folder for folder in FOLDERS.values() if "/" not in folder}
    for name, link in links.items():
        assert link.readlink() == Path("..", "..", name)


def pins() -> dict[str, str]:
    """Return the versions in constraints.txt by canonical name."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    found = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line) for line in found)
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in found}


def test_constraints_pin_every_dependency() -> None:
    """constraints.txt gives an allowed version of each, and no place to load it from."""
    pinned = pins()
    extras: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
    lists = [PROJECT["project"]["dependencies"], *extras.values()]
    for requirement in (Requirement(line) for lines in lists for line in lines):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier


# --- text -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PYTHON_FILES, ids=str)
def test_file_opens_with_its_purpose(path: Path) -> None:
    """The docstring of a file says what it is for, in at most eight lines."""
    docstring = ast.get_docstring(ast.parse((ROOT / path).read_text()))
    assert docstring
    assert len(docstring.splitlines()) <= 8


def test_nothing_is_left_to_do() -> None:
    """What is left to do is an issue, not a comment."""
    mark = re.compile(r"(#|//|--|\*)\s*(TODO|FIXME|XXX|HACK)\b")
    found = [
        f"{path}: {line.strip()}"
        for path in files(*SUFFIXES)
        for line in (ROOT / path).read_text().splitlines()
        if mark.search(line)
    ]
    assert not found, "\n".join(found)


def test_shell_scripts_are_sound() -> None:
    """Every script without a suffix can be executed, stops at errors, and parses."""
    scripts = [path for path in files("") if path.parts[0] in {"scripts", ".ci"}]
    assert {"scripts/play", "scripts/test", ".ci/run"} <= {path.as_posix() for path in scripts}
    for path in scripts:
        assert os.access(ROOT / path, os.X_OK), path
        assert re.search(r"^set -eu", (ROOT / path).read_text(), re.MULTILINE), path
    for path in [*scripts, *files(".sh")]:
        shell = (ROOT / path).read_text().partition("\n")[0].rpartition("bash")[1] or "sh"
        subprocess.run([shell, "-n", ROOT / path], check=True)


# --- tests ----------------------------------------------------------------------------------


def test_test_files_have_names_of_their_own() -> None:
    """Test folders are no packages: two files of one name would be one module to type checkers."""
    counts = Counter(path.name for path in PYTHON_FILES if path.parts[0] == "tests")
    del counts["conftest.py"]
    assert {name: count for name, count in counts.items() if count > 1} == {}


@pytest.mark.parametrize(
    "path", [path for path in PYTHON_FILES if path.name.startswith("test_")], ids=str
)
def test_tests_do_not_hide_one_another(path: Path) -> None:
    """Two tests of one name in one scope: the first would never run."""
    nodes = list(ast.walk(ast.parse((ROOT / path).read_text())))
    for scope in [node for node in nodes if isinstance(node, ast.Module | ast.ClassDef)]:
        names = Counter(
            node.name
            for node in scope.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        )
        assert {name for name, count in names.items() if count > 1} == set()


# --- faces ----------------------------------------------------------------------------------


def is_written(package: str) -> bool:
    """Tell whether the package has a face yet."""
    return "__all__" in (ROOT / FOLDERS[package] / "__init__.py").read_text()


@pytest.mark.parametrize("package", PACKAGES)
def test_face_is_whole(package: str) -> None:
    """`__all__` names each thing once, all of it can be had, and nothing public is left out.

    Its order is held by ruff (RUF022).
    """
    modules = [path for path in PYTHON_FILES if path.parent.as_posix() == FOLDERS[package]]
    if not is_written(package) and len(modules) == 1:
        pytest.skip("an empty package has no face")
    face = importlib.import_module(package)
    names: list[str] = face.__all__
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(face, name) is not None
    public = {
        name
        for name, value in vars(face).items()
        if name[0] != "_"
        and name != "TYPE_CHECKING"
        and not isinstance(value, ModuleType)
        and getattr(value, "__module__", package).startswith("mexican_train.")
    }
    assert public <= set(names)


# --- commands -------------------------------------------------------------------------------

HELP = """\
import json, sys
from {module} import {function} as command
sys.argv = [{name!r}, "--help"]
try:
    command()
except SystemExit as end:
    heavy = {{"trio", "prompt_toolkit", "sqlite3", "structlog", "zeroconf"}} & set(sys.modules)
    print(json.dumps([end.code, sorted(heavy)]), file=sys.stderr)
"""


def is_there(command: str) -> bool:
    """Tell whether the module of a console script has been written."""
    *_, room, module = COMMANDS[command].partition(":")[0].split(".")
    return (ROOT / room / f"{module}.py").exists()


def test_commands_are_installed() -> None:
    """The installed console scripts are those of pyproject.toml."""
    present = {
        point.name: point.value
        for point in entry_points(group="console_scripts")
        if point.value.startswith("mexican_train.")
    }
    assert present == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_light(name: str) -> None:
    """`--help` opens with an example that is true, and loads none of the heavy libraries."""
    if not is_there(name):
        pytest.skip("not written yet")
    module, _, function = COMMANDS[name].partition(":")
    source = HELP.format(module=module, function=function, name=name)
    done = subprocess.run(
        [sys.executable, "-c", source],
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert json.loads(done.stderr) == [0, []]
    examples, usage, _ = done.stdout.partition(f"\nUsage: {name} ")
    assert re.match(rf"Examples?:\n  {name} ", examples)
    assert usage
    for line in examples.splitlines()[1:]:
        for words in commands_in(f"`{line}`"):
            check_command(words)


# --- documents ------------------------------------------------------------------------------


def commands_in(text: str) -> Iterator[list[str]]:
    """Give the words of every command line in the code of a Markdown text.

    Lines of fenced blocks count and spans in backquotes, with a prompt or without; a command
    ends at a comment, a pipe or a list operator.
    """
    fenced = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", prose)
    for line in [line for block in fenced for line in block.splitlines()] + spans:
        match = re.match(r"\s*(?:\$ )?(\.?/?scripts/[\w./-]+|mt-[a-z]+)\b([^#|;&]*)", line)
        if match:
            yield [match[1], *shlex.split(match[2].replace("'", ""))]


def options_of(command: click.Command) -> set[str]:
    """Return every option of a command and of its subcommands."""
    found = {option for parameter in command.params for option in parameter.opts}
    found |= {option for parameter in command.params for option in parameter.secondary_opts}
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            found |= options_of(inner)
    return found | {"--help"}


def check_command(words: list[str]) -> None:
    """Fail unless the script or console command exists and has the options that are named."""
    name = words[0]
    if not name.startswith("mt-"):
        path = ROOT / name
        assert path.exists(), f"{name} does not exist"
        assert path.suffix or os.access(path, os.X_OK), f"{name} cannot be executed"
        return
    assert name in COMMANDS, f"{name} is no command"
    module, _, function = COMMANDS[name].partition(":")
    command = getattr(importlib.import_module(module), function)
    assert isinstance(command, click.Command)
    own = words[: words.index("--")] if "--" in words else words
    named = {word.partition("=")[0] for word in own if word.startswith("--")}
    assert named <= options_of(command), f"{name} has no {named - options_of(command)}"


@pytest.mark.parametrize("path", files(".md"), ids=str)
def test_documents_name_what_exists(path: Path) -> None:
    """Each script, command and option that a document shows is there."""
    for words in commands_in((ROOT / path).read_text()):
        if words[0] in COMMANDS and not is_there(words[0]):
            continue
        check_command(words)


def test_readme_starts_with_two_commands() -> None:
    """Whoever arrives finds how to play and how to test, in this order."""
    readme = (ROOT / "README.md").read_text()
    if readme.strip().count("\n") == 0:
        pytest.skip("not written yet")
    scripts = [words[0] for words in commands_in(readme) if "scripts/" in words[0]]
    assert scripts[:2] == ["./scripts/play", "./scripts/test"]


@pytest.mark.parametrize(
    "text",
    ["`mt-nothing`", "```\n$ ./scripts/nothing\n```", "```sh\nmt-server --no-such-option\n```"],
)
def test_what_does_not_exist_is_noticed(text: str) -> None:
    """The reading of documents above is not blind."""
    found = list(commands_in(text))
    assert len(found) == 1
    if found[0][0] in COMMANDS and not is_there(found[0][0]):
        pytest.skip("not written yet")
    with pytest.raises(AssertionError):
        check_command(found[0])
