"""Write `docs/rules.md`; `--check` names it if it is stale.

The words stand in `rules.template.md`, the figures of blocked rounds in `rules.blocked.toml`; all
other tables come from the engine and its preset files. The output depends on nothing else.
"""

import argparse
import random
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from itertools import combinations, groupby
from pathlib import Path

from mexican_train.engine import (
    OPTIONS,
    Deal,
    Game,
    Option,
    OptionValue,
    RuleSet,
    RuleSetError,
    hand_size,
    preset_names,
)

HERE = Path(__file__).parent
TEMPLATE = HERE / "rules.template.md"
BLOCKED = HERE / "rules.blocked.toml"
DOCS = HERE.parents[1] / "docs"

SETS = {6: "double-6", 9: "double-9", 12: "double-12", 15: "double-15", 18: "double-18"}
PLAYERS = range(2, 15)
EXAMPLE_MOVES = 9


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [list(head)]
    lines += [["---"] * len(lines[0]), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# --- tiles and hands ----------------------------------------------------------------------


def sets() -> str:
    """The sets with their tiles."""
    rows = [
        (f"`{pips}`", name, str((pips + 1) * (pips + 2) // 2), str(pips + 1))
        for pips, name in SETS.items()
    ]
    return table(("`set.max_pip`", "set", "tiles", "with each number"), rows)


def sizes(rules: RuleSet) -> Iterator[str]:
    """The hand for each number of players, a dash where it is refused."""
    for players in PLAYERS:
        try:
            yield str(hand_size(rules, players))
        except RuleSetError:
            yield "-"


def hands(settings: Iterable[tuple[str, dict[str, object]]]) -> str:
    """A row of hand sizes for each named setting."""
    rows = [
        (name, *sizes(RuleSet({**options, "game.players": (2, 14)}))) for name, options in settings
    ]
    return table(("", *map(str, PLAYERS)), rows)


def hands_of_tables() -> str:
    """The hands of each table with a double-12 set."""
    return hands((f"`{name}`", {"deal.table": name}) for name in OPTIONS["deal.table"].texts)


def hands_of_sets() -> str:
    """The hands with the other sets."""
    return hands((name, {"set.max_pip": pips}) for pips, name in SETS.items() if pips != 12)


# --- options ------------------------------------------------------------------------------


def listed_values(option: Option) -> list[tuple[str, str]]:
    """Each value as it is written, and its sentence; `N` stands for any number of a span."""
    if option.kind == "range":
        return [("`LOWEST-HIGHEST`", option.number_text.format("LOWEST", "HIGHEST"))]
    values = []
    for key, text in option.texts.items():
        written = ("yes" if key else "no") if isinstance(key, bool) else str(key)
        values.append((f"`{written}`", text))
    if option.number_text:
        values.append((f"{option.least} to {option.most}", option.number_text.format("N")))
    return values


def options() -> str:
    """A table of options for each group."""
    blocks = []
    for group, each in groupby(OPTIONS.values(), key=lambda option: option.name.partition(".")[0]):
        rows: list[tuple[str, str, str, str]] = []
        for option in each:
            name, default = f"`{option.name}`", f"`{option.write(option.default)}`"
            for value, text in listed_values(option):
                rows.append((name, value, default, text))
                name = default = ""
        head = table(("option", "value", "default", "meaning"), rows)
        title = group.replace("_", " ").capitalize().replace("Mexican t", "Mexican T")
        blocks.append(f"**{title}**\n\n{head}")
    return "\n\n".join(blocks)


def settings() -> Iterator[tuple[str, OptionValue]]:
    """Every option with every value that it lists."""
    for option in OPTIONS.values():
        if option.kind == "choice":
            for key in option.texts:
                yield option.name, key


def refused() -> str:
    """The combinations that cannot be loaded, found by trying every pair.

    The second start is free of what the first already settles against a pair.
    """
    starts: tuple[dict[str, object], ...] = (
        {},
        {"engine.source": "held", "doubles.extra_tile": "anywhere"},
    )
    found = set()
    for start in starts:
        for (one, value), (other, other_value) in combinations(settings(), 2):
            try:
                RuleSet({**start, one: value, other: other_value})
            except RuleSetError as error:
                found |= set(re.findall(r"^(\S+ = \S+) and (\S+ = \S+) contradict", str(error)))
    order = list(OPTIONS)
    lines = sorted(
        found, key=lambda pair: ([order.index(each.split(" ")[0]) for each in pair], pair)
    )
    return "\n".join(f"- `{one}` with `{other}`" for one, other in lines)


# --- presets ------------------------------------------------------------------------------

ASSIGNMENT = re.compile(r"(?P<key>\w+) = (?P<value>[^#]*?)\s*(?:# (?P<reason>.+))?")


class PresetFile:
    """A preset's file as text: what it is `about`, and by option the `reasons` for its value.

    A reason is the comment on the line, or else the one directly above it.
    """

    def __init__(self, name: str) -> None:
        file = resources.files("mexican_train.engine").joinpath("presets", f"{name}.toml")
        head, _, body = file.read_text(encoding="utf-8").partition("\n\n")
        words = " ".join(line.removeprefix("# ") for line in head.splitlines())
        # what the file tells of this page need not stand on it
        self.about = re.sub(
            r" docs/rules\.md says what .*?\.| The source of this file is .*? of it\b.*?\.",
            "",
            words.partition(' "ours:"')[0],
        )
        self.reasons = dict(self._reasons(body))

    @staticmethod
    def _reasons(body: str) -> Iterator[tuple[str, str]]:
        group, above = "", ""
        for line in body.splitlines():
            if line.startswith("["):
                group, above = line.strip("[]"), ""
            elif line.startswith("#"):
                above = f"{above} {line.removeprefix('# ')}".strip()
            elif match := ASSIGNMENT.fullmatch(line):
                if reason := match["reason"] or above:
                    yield f"{group}.{match['key']}", reason
                above = ""
            else:
                above = ""

    def is_ours(self, option: str) -> bool:
        """Whether the value is a choice of this project."""
        return re.search(r"\bours\b", self.reasons.get(option, ""), re.IGNORECASE) is not None


def presets() -> str:
    """The presets side by side: every option in which one of them differs."""
    rule_sets = {name: RuleSet.preset(name) for name in preset_names()}
    files = {name: PresetFile(name) for name in rule_sets}
    classic = rule_sets["classic"]
    rows = []
    for option in OPTIONS.values():
        cells = []
        for name, rules in rule_sets.items():
            value = rules[option.name]
            shown = option.write(value).replace("+", ", ")
            shown = shown if value == classic[option.name] else f"**{shown}**"
            cells.append(shown + ("†" if files[name].is_ours(option.name) else ""))
        if any("**" in cell or "†" in cell for cell in cells):
            rows.append((f"`{option.name}`", *cells))
    rows.append(("hash", *(f"`{rules.hash[:12]}`" for rules in rule_sets.values())))
    return table(("option", *(f"`{name}`" for name in rule_sets)), rows)


def sources() -> str:
    """For each preset what it follows, and where each value comes from."""
    blocks = []
    for name in preset_names():
        file, rules = PresetFile(name), RuleSet.preset(name)
        lines = [f"#### {name}", "", file.about, ""]
        for reason, keys in groupby(file.reasons.items(), key=lambda each: each[1]):
            told = ", ".join(f"`{key} = {OPTIONS[key].write(rules[key])}`" for key, _ in keys)
            lines.append(f"- {told}. {reason[0].upper()}{reason[1:].rstrip('.')}.")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


# --- text forms ---------------------------------------------------------------------------


def example_game(moves: int) -> Game:
    """A small game after so many moves, the same in every run."""
    rules = RuleSet({"set.max_pip": 6}, name="small")
    game = Game.start(rules, 2)
    game.begin_round(Deal.from_seed(rules, 2, bytes(32), 1))
    chance = random.Random(6)
    for count in range(moves):
        turn = game.turn
        if turn is None:
            raise AssertionError(f"the example is over after {count} moves")
        game.apply(turn, chance.choice(game.legal_moves(turn)), at_ms=1500 * (count + 1))
    return game


def record() -> str:
    """The first lines of a record; the options are cut short."""
    text = example_game(3).record(("Ann", "Bob")).to_text().rstrip("\n")
    return re.sub(
        r'("options":\{)("[^,]*,"[^,]*,).*?(\},"rules")', r"\1\2 … and so on\3", text, count=1
    )


def blocked() -> str:
    """The counted figures."""
    figures = tomllib.loads(BLOCKED.read_text(encoding="utf-8"))
    rows = []
    for name in preset_names():
        told = figures[name]
        share = f"{told['blocked'] / told['rounds']:.1%}"
        rows.append((f"`{name}`", str(told["seats"]), f"{told['rounds']:,}", share))
    return table(("preset", "seats", "rounds", "blocked"), rows)


# --- the file -----------------------------------------------------------------------------


def page() -> str:
    """The page: the template with the printed parts put in."""
    game = example_game(EXAMPLE_MOVES)
    parts = {
        "sets": sets(),
        "hands": hands_of_tables(),
        "other_hands": hands_of_sets(),
        "option_count": str(len(OPTIONS)),
        "options": options(),
        "refused": refused(),
        "presets": presets(),
        "sources": sources(),
        "record": record(),
        "position_moves": str(EXAMPLE_MOVES),
        "position": str(game.position()),
        "position_known": str(game.position(0)),
        "blocked_date": tomllib.loads(BLOCKED.read_text(encoding="utf-8"))["date"],
        "blocked": blocked(),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


def main() -> int:
    """Write the page, or with `--check` only compare; 1 if it is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it is stale")
    is_check = parser.parse_args().check
    path, text = DOCS / "rules.md", page()
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    if is_check:
        print("docs/rules.md is stale: run scripts/docs/rules.py", file=sys.stderr)
        return 1
    path.write_text(text, encoding="utf-8")
    print("docs/rules.md written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
