"""What scripts/docs/catalogue.py finds wrong with a catalogue, and that nothing is wrong now."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog

SCRIPT = Path(__file__).parents[2] / "scripts/docs/catalogue.py"


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("catalogue_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wanted(*messages: Any) -> Catalog:
    """What there is to translate: sentences, and one code."""
    catalog = Catalog()
    for message in messages:
        catalog.add(message)
    catalog.add("closed", context="left", auto_comments=["The table {name} has closed."])
    return catalog


def translated(code: str = "Bordet er stengt.", **sentences: str) -> Catalog:
    """A catalogue with these translations, by the English sentence."""
    catalog = wanted()
    catalog.get("closed", "left").string = code  # type: ignore[union-attr]  # it is there
    for english, norwegian in sentences.items():
        catalog.add(english, norwegian)
    return catalog


def test_a_whole_catalogue_has_no_fault(script: Any) -> None:
    catalog = script.renewed(translated(go="gå"), wanted("go"))
    assert script.faults(catalog) == []


def test_what_is_missing_is_named(script: Any) -> None:
    """A sentence, one form of two, and a code."""
    catalog = script.renewed(translated("", go="gå"), wanted("stay", "go", ("one", "many")))
    assert script.faults(catalog) == [
        "no translation: stay",
        "no translation: ('one', 'many')",
        "no translation: left: closed",
    ]


def test_what_is_no_longer_used_is_named_and_dropped(script: Any) -> None:
    old, new = translated(stay="bli", go="gå"), wanted("go")
    assert script.unused(old, new) == ["no longer used: stay"]
    assert "stay" not in script.renewed(old, new)


@pytest.mark.parametrize(
    ("english", "norwegian", "fits"),
    [
        ("{name} passes.", "{name} passer.", True),
        ("{name} passes.", "{navn} passer.", False),
        ("{name} passes.", "Passer.", False),
        ("{name}: {name}", "{name}", True),
        ("Nobody.", "Ingen {name}.", False),
    ],
)
def test_parts_are_those_of_the_english(
    script: Any, english: str, norwegian: str, *, fits: bool
) -> None:
    catalog = script.renewed(translated(**{english: norwegian}), wanted(english))
    assert (script.faults(catalog) == []) == fits


@pytest.mark.parametrize(
    ("forms", "fits"),
    [
        (("{number} brikke", "{number} brikker"), True),
        (("én brikke", "{number} brikker"), True),
        (("{number} brikke", "{tall} brikker"), False),
    ],
)
def test_parts_of_both_forms(script: Any, forms: tuple[str, str], *, fits: bool) -> None:
    """The one of one tile need not name the number."""
    ids = ("{number} tile", "{number} tiles")
    old = translated()
    old.add(ids, forms)
    assert (script.faults(script.renewed(old, wanted(ids))) == []) == fits


def test_a_code_may_leave_parts_out_but_has_no_others(script: Any) -> None:
    for code, fits in (("Bordet {name}.", True), ("Stengt.", True), ("{table} stengt.", False)):
        assert (script.faults(script.renewed(translated(code), wanted())) == []) == fits


def test_a_code_whose_english_has_changed_is_fuzzy(script: Any) -> None:
    """Until somebody has looked at it: the mark is taken away by hand."""
    new = Catalog()
    new.add("closed", context="left", auto_comments=["The table {name} is no more."])
    catalog = script.renewed(translated(), new)
    assert script.faults(catalog) == [
        "fuzzy, look at it and take the mark away: left: closed",
    ]
    assert script.faults(script.renewed(catalog, new)) == script.faults(catalog)


def test_sentences_are_found_in_the_code(script: Any) -> None:
    """Those of `text`, of `later`, both of `plural`, and the codes of other rooms."""
    found = script.template()
    for message in ("You pass.", "{name} passes.", ("{number} tile", "{number} tiles")):
        assert message in found
    assert found.get("not_held", "rule").auto_comments == ["You do not hold {tile}."]
    assert found.get("yes", "option doubles.must_cover") is not None
    assert found.get("draw", "typed") is not None


def test_the_check_passes() -> None:
    """Nothing missing, unused, fuzzy or stale: the catalogues that are shipped are whole."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
