"""A rule set: every option with a value, checked, frozen, hashed. A variant is data.

Presets are TOML files beside this module, read by the same loader as a host's own file.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from .options import OPTIONS, OptionValue, RuleSetError, find_option, flatten

DEFAULT_PRESET: Final = "classic"
CHANGED: Final = " (changed)"
"""What follows the name of a rule set whose options are not all its own."""
NO_EFFECT: Final = "No effect, since {option}."
"""The sentence on a rule card for an option that another leaves without effect."""

_CONTRADICTIONS: Final = (
    (("engine.source", "set_aside"), ("round.first_player", "engine_holder")),
    (("doubles.extra_tile", "on_double"), ("doubles.per_turn", "many")),
    (("turn.play_limit", "one_per_open_train"), ("doubles.extra_tile", "anywhere")),
    (("first_turn.build_own_train", True), ("turn.play_limit", "one_per_open_train")),
    (("first_turn.build_own_train", True), ("first_turn.starter_extra", "other_train")),
    (("first_turn.build_own_train", True), ("first_turn.starter_extra", "any_train")),
    (("first_turn.own_only", True), ("first_turn.starter_extra", "other_train")),
)


@dataclass(frozen=True, slots=True)
class CardLine:
    """One option on a rule card: its name, its value, and what that means.

    Attributes:
        idle_since: the other option, as `name = value`, that leaves it without effect; or empty.
    """

    option: str
    value: OptionValue
    text: str
    idle_since: str = ""


class RuleSet:
    """A complete, valid set of options. Immutable; equal and hashed by its options.

    `rules["doubles.lapse"]` gives the value of one option.

    Attributes:
        name: of the preset or file; no part of the identity.
        hash: SHA-256 over the canonical JSON of all options, hexadecimal.
    """

    __slots__ = ("_options", "hash", "name")

    def __init__(self, options: Mapping[str, object], *, name: str = "custom") -> None:
        """Check `options` over the defaults; RuleSetError says what is wrong."""
        values = {option.name: option.default for option in OPTIONS.values()}
        for key, value in options.items():
            values[key] = find_option(key).check(value)
        _refuse_contradictions(values)
        self._options: Final[Mapping[str, OptionValue]] = values
        self.name: Final = name
        canonical = json.dumps(values, sort_keys=True, separators=(",", ":"))
        self.hash: Final = hashlib.sha256(canonical.encode()).hexdigest()

    @staticmethod
    def preset(name: str) -> "RuleSet":
        """A preset by name; RuleSetError `unknown_rules` names the nearest."""
        if name not in preset_names():
            near = get_close_matches(name, preset_names(), 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise RuleSetError(
                "unknown_rules",
                None,
                f"There are no rules called {name[:40]!r}.{hint} "
                f"There are: {', '.join(preset_names())}.",
            )
        return _preset(name)

    @staticmethod
    def from_toml(text: str, *, name: str) -> "RuleSet":
        """A rule set from the text of a TOML file; what it leaves out is as in `classic`."""
        try:
            mapping = tomllib.loads(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"))
        except RecursionError as error:
            raise RuleSetError("bad_file", None, f"{name} is nested too deep") from error
        except ValueError as error:
            why = str(error)[:200]
            raise RuleSetError("bad_file", None, f"{name} is no TOML file: {why}") from error
        return RuleSet.from_mapping(mapping, name=name)

    @staticmethod
    def from_mapping(mapping: Mapping[str, object], *, name: str = "custom") -> "RuleSet":
        """A rule set from options, flat (`set.max_pip`) or in groups.

        Raises:
            RuleSetError: an option or value is wrong, or an option is given twice.
        """
        options: dict[str, object] = {}
        for key, value in flatten(mapping):
            if key in options:
                raise RuleSetError("bad_file", key, f"{key} is given twice.")
            options[key] = value
        return RuleSet(options, name=name)

    def with_options(self, options: Mapping[str, object], *, name: str = "") -> "RuleSet":
        """This rule set with some options changed; so is its name, unless one is given."""
        changed = RuleSet({**self._options, **options}, name=name or self.name)
        if name or changed == self or self.name.endswith(CHANGED):
            return changed
        return RuleSet(changed.options(), name=self.name + CHANGED)

    def options(self) -> dict[str, OptionValue]:
        """Every option by name, in the order of the card."""
        return dict(self._options)

    def differences(self, other: "RuleSet") -> tuple[str, ...]:
        """The options whose value `other` has differently, in the order of the card."""
        return tuple(key for key, value in self._options.items() if other[key] != value)

    def card(self) -> tuple[CardLine, ...]:
        """The rule card: each option as a sentence, or why it has no effect here."""
        return tuple(
            CardLine(
                key, value, NO_EFFECT.format(option=idle) if idle else OPTIONS[key].say(value), idle
            )
            for key, value in self._options.items()
            for idle in (self._idle_since(key),)
        )

    def _idle_since(self, option: str) -> str:
        """The option that leaves this one without effect here; empty if it has one."""
        needed = OPTIONS[option].needs
        if needed is None or self._options[needed[0]] == needed[1]:
            return ""
        other = OPTIONS[needed[0]]
        return f"{other.name} = {other.write(self._options[other.name])}"

    def to_toml(self) -> str:
        """A TOML file that gives this rule set."""
        groups: dict[str, list[str]] = {}
        for key, value in self._options.items():
            group, _, leaf = key.partition(".")
            shown = list(value) if isinstance(value, tuple) else value
            groups.setdefault(group, []).append(f"{leaf} = {json.dumps(shown)}")
        tables = (f"[{group}]\n" + "\n".join(lines) for group, lines in groups.items())
        return "\n\n".join(tables) + "\n"

    def number(self, option: str) -> int:
        """The value of an option that is a whole number; TypeError if it is none."""
        value = self._options[option]
        if type(value) is not int:
            raise TypeError(f"{option} is no whole number")
        return value

    def range(self, option: str) -> tuple[int, int]:
        """The value of an option that is a lowest and a highest number; TypeError if not."""
        match self._options[option]:
            case (low, high) if isinstance(low, int) and isinstance(high, int):
                return (low, high)
        raise TypeError(f"{option} is no range")

    def words(self, option: str) -> tuple[str, ...]:
        """The value of an option that is any of several words; TypeError if not."""
        value = self._options[option]
        if not isinstance(value, tuple):
            raise TypeError(f"{option} is no set of words")
        return tuple(each for each in value if isinstance(each, str))

    def __getitem__(self, option: str) -> OptionValue:
        return self._options[option]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleSet) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        return f"RuleSet({self.name!r}, {self.hash[:12]})"


def _refuse_contradictions(values: Mapping[str, OptionValue]) -> None:
    for (one, one_value), (other, other_value) in _CONTRADICTIONS:
        if values[one] == one_value and values[other] == other_value:
            raise RuleSetError(
                "contradiction",
                one,
                f"{one} = {OPTIONS[one].write(one_value)} and "
                f"{other} = {OPTIONS[other].write(other_value)} contradict each other.",
            )
    highest = values["set.max_pip"]
    first = highest if values["game.first_engine"] == "highest" else values["game.first_engine"]
    if not isinstance(highest, int) or not isinstance(first, int):
        raise TypeError("checked options are whole numbers here")
    if first > highest:
        raise RuleSetError(
            "contradiction",
            "game.first_engine",
            f"game.first_engine = {first} is above set.max_pip = {highest}.",
        )
    rounds = values["game.rounds"]
    if isinstance(rounds, int) and rounds > first + 1:
        raise RuleSetError(
            "contradiction",
            "game.rounds",
            f"game.rounds = {rounds} is more than there are engines from game.first_engine = "
            f"{first} down: at most {first + 1}.",
        )


@lru_cache(maxsize=1)
def preset_names() -> tuple[str, ...]:
    """The names of all presets, `classic` first."""
    names: Iterable[str] = (
        entry.name.removesuffix(".toml")
        for entry in resources.files(__package__).joinpath("presets").iterdir()
        if entry.name.endswith(".toml")
    )
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_PRESET, name)))


@cache
def _preset(name: str) -> RuleSet:
    file = resources.files(__package__).joinpath("presets", f"{name}.toml")
    return RuleSet.from_toml(file.read_text(encoding="utf-8"), name=name)
