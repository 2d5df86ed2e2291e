"""The pack for a test laboratory: what is in it, that hashes fit, and that it is made again."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest

from services.cli import lab
from services.cli.errors import WrongUse
from services.rulebooks.catalogue import load_catalogue
from services.rules.rulebook import rulebook_hash
from services.rules.shuffling import pack, shuffle

SAMPLES = 4_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("lab") / "pack"
    assert lab.main(made, io.StringIO(), sample_bytes=SAMPLES) == 0
    return made


def manifest(folder: Path) -> dict[str, dict[str, object]]:
    return {
        each["name"]: each for each in json.loads((folder / "manifest.json").read_bytes())["files"]
    }


def test_the_manifest_names_every_file_with_its_hash(folder: Path) -> None:
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    listed = manifest(folder)
    assert there == {*listed, "manifest.json"}
    for name, each in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == each["sha256"]


def test_all_but_the_samples_is_the_same_bytes_again(folder: Path) -> None:
    """And the samples are other ones each time."""
    for name, content in lab.files(SAMPLES):
        same = (folder / name).read_bytes() == content
        assert same == manifest(folder)[name]["reproducible"], name


def test_every_rulebook_has_its_text_and_a_sheet_of_odds_for_every_number_of_decks(
    folder: Path,
) -> None:
    for name, rulebook in load_catalogue().items():
        document = json.loads((folder / "rules" / f"{rulebook.hash}.json").read_bytes())
        assert rulebook_hash(document) == rulebook.hash
        assert (folder / "rules" / f"{rulebook.hash}.txt").read_text()
        for decks in rulebook.decks:
            sheet = json.loads((folder / "odds" / f"{name}-{decks}-decks.json").read_bytes())
            assert sheet["rulebook_hash"] == rulebook.hash
            assert set(sheet["areas"]) == {area.lower() for area in rulebook.definitions}
    eight = json.loads((folder / "odds" / "live-studio-8-decks.json").read_bytes())
    assert round(Fraction(eight["areas"]["banker"]["house_edge"]) * 10**6) == 10_579


def test_orders_follow_from_the_samples(folder: Path) -> None:
    """Whoever has the bytes can shuffle again and compare; every order is a whole shoe."""
    raw = (folder / "generator" / "samples.bin").read_bytes()
    lines = (folder / "generator" / "orders.txt").read_text().splitlines()
    assert len(lines) > 2
    first = lines[0].split()
    assert first == [*shuffle(pack(8), io.BytesIO(raw).read)]
    assert all(sorted(line.split()) == sorted(pack(8)) for line in lines)


def test_every_clause_is_in_the_table_with_its_tests(folder: Path) -> None:
    rows = {row["row"]: row for row in csv.DictReader((folder / "clauses.csv").open())}
    assert len(rows) > 300
    assert "tests/specs/" in rows["A-01"]["tests"]
    assert rows["A-01"]["clause"].startswith("000")


def test_a_changed_file_of_the_program_changes_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "services").mkdir()
    file = tmp_path / "services" / "one.py"
    file.write_text("1\n")
    monkeypatch.setattr(lab, "PACKAGE", tmp_path / "services")
    before = lab.components()
    file.write_text("2\n")
    after = lab.components()
    assert before["digest"] != after["digest"]
    assert before["files"].keys() == after["files"].keys() == {"services/one.py"}
    assert after["dependencies"]["msgspec"]["version"]


def test_nothing_that_is_there_is_overwritten(folder: Path) -> None:
    with pytest.raises(WrongUse, match="there already"):
        lab.main(folder, io.StringIO(), sample_bytes=SAMPLES)
