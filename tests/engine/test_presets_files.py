"""The preset files as people read them: a source at the top, a reason beside each odd value.

What the values must be stands in `tests/literal/literal_presets.py`.
"""

import re
import tomllib
from importlib import resources

import pytest
from mexican_train.engine import OPTIONS, RuleSet, preset_names

from tests.literal.literal_presets import PRESETS

SEED_TEXTS = {"reference": "000", "classic": "001", "bernie": "002", "boxcar": "003"}
ASSIGNMENT = re.compile(r"(?P<key>\w+) = (?P<value>[^#]*?)\s*(?:# (?P<reason>.+))?")


def text_of(name: str) -> str:
    """The preset's file as it stands in the package."""
    file = resources.files("mexican_train.engine").joinpath("presets", f"{name}.toml")
    return file.read_text(encoding="utf-8")


def reasons(text: str) -> dict[str, str]:
    """By option, the comment on its line or directly above it; empty where there is none."""
    found: dict[str, str] = {}
    group, above = "", ""
    for line in text.splitlines():
        if line.startswith("["):
            group, above = line.strip("[]"), ""
        elif line.startswith("#"):
            above = f"{above} {line.removeprefix('#').strip()}".strip()
        elif match := ASSIGNMENT.fullmatch(line):
            found[f"{group}.{match['key']}"] = match["reason"] or above
            above = ""
        else:
            assert not line, line
            above = ""
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_file_has_the_values_of_the_table(name: str) -> None:
    """What the file leaves out is as in `classic`, and so as in the table typed by hand."""
    given = tomllib.loads(text_of(name))
    flat = {f"{group}.{key}": value for group, keys in given.items() for key, value in keys.items()}
    assert {**PRESETS["classic"], **flat} == PRESETS[name]


def test_every_file_is_in_the_table() -> None:
    assert set(preset_names()) == set(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_file_names_its_source_first(name: str) -> None:
    """A seed text by its number; the others by docs/rules.md, which tells what they are."""
    head = text_of(name).partition("\n\n")[0]
    assert all(line.startswith("# ") for line in head.splitlines())
    assert "docs/rules.md" in head
    if name in SEED_TEXTS:
        assert f"seed text {SEED_TEXTS[name]}" in head
    else:
        assert "seed text" not in text_of(name)


@pytest.mark.parametrize("name", PRESETS)
def test_each_value_that_differs_from_classic_has_its_reason(name: str) -> None:
    told = reasons(text_of(name))
    for option in RuleSet.preset("classic").differences(RuleSet.preset(name)):
        assert len(told[option]) > 8, option


@pytest.mark.parametrize("name", PRESETS)
def test_a_reason_names_its_own_seed_text(name: str) -> None:
    """No comment was carried over from the file of another preset."""
    for number in re.findall(r"seed text (\d+)", text_of(name)):
        assert number == SEED_TEXTS[name]


def test_classic_lists_every_option() -> None:
    """A host who copies it sees all that there is to set."""
    assert set(reasons(text_of("classic"))) == set(OPTIONS)
