"""The law of imports, held by a walk over the syntax trees of every source file.

ARCHITECTURE.md says who may import whom and why; this is the same law as a table. What the table
does not allow is forbidden, so that a new arrow between the rooms is drawn here first.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
FACES = frozenset(PROJECT["tool"]["setuptools"]["packages"])
ROOMS = frozenset({"engine", "protocol", "server", "client"})

TEXT = re.compile(rf"mexican_train\.({'|'.join(sorted(ROOMS))})(\.\w+)*")


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


# The core of the server, in order: each module may use those before it.
CORE = (
    *("declines", "effects", "clocks", "condensing", "table_settings", "lobby_settings"),
    *("views", "players", "seat_codes", "door", "absence", "progress"),
    *("seats", "course", "telling", "playing", "advice", "attendance", "table", "recall"),
    *("tables", "commands", "recovery", "lobby"),
)

# Modules without I/O, clock, logging, threads, async or hidden randomness.
PURE = words(
    "abc array base64 bisect collections copy dataclasses difflib enum fractions functools hashlib "
    "heapq hmac itertools json math operator re string struct textwrap types typing unicodedata"
)
# These names of an otherwise impure module are pure.
PURE_NAMES = {
    "contextlib": frozenset({"contextmanager", "suppress", "ExitStack", "nullcontext"}),
    "random": frozenset({"Random"}),
}


@dataclass(frozen=True)
class Law:
    """What the files of one zone may import beside their own room."""

    rooms: frozenset[str] = frozenset()
    libraries: frozenset[str] = frozenset()
    is_pure: bool = False
    stdlib: frozenset[str] = field(default=PURE)


CLIENT_LIBRARIES = words("trio click platformdirs structlog wcwidth zeroconf")
SHELL_LIBRARIES = words("trio click cryptography platformdirs structlog msgpack msgspec zeroconf")
LAWS = {
    "engine": Law(is_pure=True, stdlib=PURE | {"importlib.resources", "tomllib"}),
    "protocol": Law(libraries=frozenset({"msgpack", "msgspec"}), is_pure=True),
    "server core": Law(
        rooms=frozenset({"engine", "protocol"}), libraries=frozenset({"msgspec"}), is_pure=True
    ),
    "server shell": Law(rooms=ROOMS - {"server"}, libraries=SHELL_LIBRARIES),
    "client": Law(rooms=frozenset({"protocol"}), libraries=CLIENT_LIBRARIES),
    "client bots": Law(rooms=frozenset({"protocol", "engine"}), libraries=CLIENT_LIBRARIES),
    "client screen": Law(
        rooms=frozenset({"protocol"}), libraries=CLIENT_LIBRARIES | {"prompt_toolkit"}
    ),
}


def zone_of(path: Path) -> str | None:
    """Return the zone of a file, given relative to the repository; None outside the rooms."""
    room, *inside = path.with_suffix("").parts
    if room == "server":
        return "server core" if inside[0] in CORE else "server shell"
    if room == "client" and inside[0] == "bots":
        return "client bots"
    if room == "client" and (inside[0].startswith("screen") or inside[0] == "guest"):
        return "client screen"
    return room if room in ROOMS else None


@dataclass(frozen=True)
class Import:
    """One imported module, absolute, with the name taken from it; `name` is empty for a module."""

    line: int
    module: str
    name: str = ""
    is_relative: bool = False


def imports_in(tree: ast.AST, path: Path) -> Iterator[Import]:
    """Give every import of a file, wherever it stands, also those spelled as text.

    A string that names another room counts, since it feeds a lazy import; but not after "-m" in a
    command line, where it names the program of another process.
    """
    package = ("mexican_train", *path.parent.parts)
    programs = {
        program
        for node in ast.walk(tree)
        if isinstance(node, ast.List | ast.Tuple)
        for option, program in pairwise(node.elts)
        if isinstance(option, ast.Constant) and option.value == "-m"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *(node.module or "").split("."))).strip(".")
            for alias in node.names:
                if module == "mexican_train" or (node.level and not node.module):
                    yield Import(node.lineno, f"{module}.{alias.name}", "", node.level > 0)
                else:
                    yield Import(node.lineno, module, alias.name, node.level > 0)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = TEXT.fullmatch(node.value)
            if match and match[1] != path.parts[0] and node not in programs:
                yield Import(node.lineno, node.value)


def is_face_name(face: str, name: str) -> bool:
    """Tell whether `name` is taken from the face and is no module that hides behind it."""
    folder = ROOT.joinpath(*face.split(".")[1:])
    if not name or not ((folder / f"{name}.py").exists() or (folder / name).is_dir()):
        return True
    tree = ast.parse((folder / "__init__.py").read_text())
    exported = {
        item
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for item in ast.literal_eval(node.value)
    }
    return name in exported


def fault_inside(seen: Import, path: Path) -> str:
    """Return what is wrong with a relative import, or nothing."""
    if path.parts[0] not in ROOMS:
        return "" if seen.module.startswith("mexican_train.") else "leads out of its folder"
    target = seen.module.split(".")
    if target[:2] != ["mexican_train", path.parts[0]]:
        return "leaves its package by dots"
    if zone_of(path) != "server core":
        return ""
    if len(target) < 3 or target[2] not in CORE:
        return "leads from the core of the server into its shell"
    if CORE.index(target[2]) >= CORE.index(path.stem):
        return "leads upwards inside the core of the server"
    return ""


def fault_between(seen: Import, path: Path) -> str:
    """Return what is wrong with an import of one of the rooms, or nothing."""
    zone = zone_of(path)
    room = seen.module.split(".")[1] if "." in seen.module else ""
    if room == path.parts[0]:
        return "is absolute inside its own package"
    if seen.module not in FACES or not is_face_name(seen.module, seen.name):
        return "is not of a face"
    if zone and room not in LAWS[zone].rooms:
        return f"is an arrow that {zone} may not have"
    return ""


def fault_outside(seen: Import, path: Path) -> str:
    """Return what is wrong with an import of a library or the standard library, or nothing."""
    zone = zone_of(path)
    top = seen.module.split(".")[0]
    if top in ROOMS:
        return "takes one of our packages by its bare name"
    if zone is None:
        return ""
    law = LAWS[zone]
    if top not in sys.stdlib_module_names:
        return "" if top in law.libraries else f"is a library that {zone} may not use"
    if not law.is_pure or top in law.stdlib:
        return ""
    whole = f"{seen.module}.{seen.name}"
    if seen.module in law.stdlib or whole in law.stdlib or seen.name in PURE_NAMES.get(top, ()):
        return ""
    return f"is not known as free of I/O and clock, as {zone} must be"


def faults(source: str, path: Path) -> list[str]:
    """Return one line for each import in `source`, at `path` in the repository, against the law."""
    tree = ast.parse(source)
    lines = []
    for seen in imports_in(tree, path):
        if seen.is_relative:
            fault = fault_inside(seen, path)
        elif seen.module.split(".")[0] == "mexican_train":
            fault = fault_between(seen, path)
        else:
            fault = fault_outside(seen, path)
        if fault:
            lines.append(f"{path}:{seen.line}: {seen.module} {seen.name}: {fault}")
    if zone_of(path) in {"engine", "protocol", "server core"}:
        lines += [
            f"{path}:{node.lineno}: open() in a place without I/O"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"open", "print", "input"}
        ]
    return lines


def sources(folder: str) -> list[Path]:
    """Return the Python files of a folder, relative to the repository; there are some."""
    found = sorted(path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("folder", [*sorted(ROOMS), "scripts"])
def test_every_import_keeps_the_law(folder: str) -> None:
    lines = [line for path in sources(folder) for line in faults((ROOT / path).read_text(), path)]
    assert not lines, "\n".join(lines)


def test_tests_use_no_bare_names() -> None:
    """Tests may look inside a package, but under its whole name."""
    lines = [
        f"{path}:{seen.line}: {seen.module}"
        for path in sources("tests")
        for seen in imports_in(ast.parse((ROOT / path).read_text()), path)
        if not seen.is_relative and seen.module.split(".")[0] in ROOMS
    ]
    assert not lines, "\n".join(lines)


FORBIDDEN = {
    "engine/legal.py": [
        "import time",
        "import os",
        "import random",
        "from random import choice",
        "import logging",
        "import asyncio",
        "import importlib",
        "import trio",
        "import msgspec",
        "from mexican_train.protocol import Tile",
        "from mexican_train.engine import Game",
        "from ..protocol import Tile",
        "def f():\n    from datetime import datetime",
        "open('x')",
    ],
    "protocol/codec.py": [
        "import trio",
        "import socket",
        "from mexican_train.engine import Game",
        "from mexican_train import server",
    ],
    "server/views.py": [
        "import trio",
        "import structlog",
        "import secrets",
        "from pathlib import Path",
        "from mexican_train.client import Bot",
        "from .session import Session",
        "from .table import Table",
        "from . import app",
    ],
    "server/app.py": [
        "import prompt_toolkit",
        "import trio_asyncio",
        "from mexican_train.client.sdk import Bot",
        "import engine",
        "HOME = 'mexican_train.protocol.codec'",
    ],
    "client/link.py": [
        "import prompt_toolkit",
        "import msgspec",
        "from mexican_train.engine import Game",
        "from mexican_train.server import App",
        "from mexican_train.protocol import framing",
        "from mexican_train.protocol.framing import FrameDecoder",
        "HOME = 'mexican_train.server'",
    ],
    "client/bots/search.py": ["from mexican_train.server import App", "import prompt_toolkit"],
    "scripts/bench/engine.py": [
        "from mexican_train.engine.round import Round",
        "import engine",
        "from protocol import Tile",
    ],
}
ALLOWED = {
    "engine/ruleset.py": ["import tomllib", "from importlib import resources", "from . import x"],
    "engine/deal.py": ["from random import Random", "from .tiles import TileSet"],
    "protocol/codec.py": ["import msgpack", "import msgspec", "from .values import Tile"],
    "server/views.py": [
        "from mexican_train.engine import Game",
        "from mexican_train import protocol",
        "from .effects import Save",
        "import msgspec",
    ],
    "server/app.py": [
        "import sqlite3, time",
        "from mexican_train.client import Bot",
        "import trio",
    ],
    "client/solo.py": ["COMMAND = [sys.executable, '-m', 'mexican_train.server.cli']"],
    "client/screen.py": ["import prompt_toolkit", "from .model import Model"],
    "client/guest.py": ["import asyncio", "from prompt_toolkit import Application"],
    "client/bots/search.py": ["from mexican_train.engine import Game", "from ..sdk import Bot"],
    "scripts/bench/engine.py": ["from mexican_train.engine import Game", "import pathlib"],
}


@pytest.mark.parametrize(
    ("place", "source"), [(place, text) for place, texts in FORBIDDEN.items() for text in texts]
)
def test_what_is_forbidden_is_found(place: str, source: str) -> None:
    assert len(faults(source, Path(place))) == 1


@pytest.mark.parametrize(
    ("place", "source"), [(place, text) for place, texts in ALLOWED.items() for text in texts]
)
def test_what_is_allowed_passes(place: str, source: str) -> None:
    assert faults(source, Path(place)) == []
