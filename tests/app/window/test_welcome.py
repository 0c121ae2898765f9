"""The welcome page, its cards, and the pictures drawn by a worker process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright.files import model_file
from linkwright_app import paths
from linkwright_app.settings import Settings
from linkwright_app.window import theme
from linkwright_app.window.main_window import MainWindow
from linkwright_app.window.pictures import HEIGHT, WIDTH, PictureStore
from linkwright_app.window.sample_list import add_samples, tags_of


def test_every_sample_has_a_card_and_a_menu_entry(window: MainWindow) -> None:
    add_samples(window)
    cards = {card.sample_id: card for card in window.welcome.grid.cards}
    assert tuple(cards) == samples.sample_ids()
    titles = [action.text() for action in window.actions_.menu("samples").actions()]
    assert titles == [model_file.load(samples.path(one)).title for one in samples.sample_ids()]
    for one, card in cards.items():
        assert card.title == model_file.load(samples.path(one)).title
        assert card.note


def test_card_opens_by_click_and_by_key(window: MainWindow) -> None:
    add_samples(window)
    session: Any = window.session
    card = window.welcome.grid.cards[0]
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert session.store.mechanism == model_file.load(samples.path(card.sample_id))
    window.show_welcome()
    other = window.welcome.grid.cards[4]
    QTest.keyClick(other, Qt.Key.Key_Return)
    assert session.store.mechanism == model_file.load(samples.path(other.sample_id))


def test_menu_opens_a_sample(window: MainWindow) -> None:
    add_samples(window)
    window.actions_.menu("samples").actions()[3].trigger()
    session: Any = window.session
    assert session.store.mechanism.title == model_file.load(samples.path(samples.sample_ids()[3])).title


def test_filter_leaves_what_fits(window: MainWindow) -> None:
    add_samples(window)
    QTest.keyClicks(window.welcome.filter, "pendul")
    shown = [card.sample_id for card in window.welcome.grid.cards if not card.isHidden()]
    assert shown == ["pendulum", "double-pendulum"]
    QTest.keyClicks(window.welcome.filter, "xyz")
    assert not window.welcome._nothing.isHidden()
    window.welcome.filter.clear()
    assert all(not card.isHidden() for card in window.welcome.grid.cards)


def test_tags_count_bodies_springs_and_cables() -> None:
    tower = [text for text, _ in tags_of(model_file.load(samples.path("tensegrity")))]
    crank = [text for text, _ in tags_of(model_file.load(samples.path("slider-crank-sda")))]
    assert crank == ["Newmark", "3 bodies", "1 spring"]
    assert tower[:2] == ["Newmark", "6 bodies"]
    assert tower[-1].startswith("21 ")


def test_recent_files_come_and_go(window: MainWindow, settings: Settings, sample_file: Path) -> None:
    assert window.welcome.recent_rows == []
    settings.add_recent(sample_file)
    (row,) = window.welcome.recent_rows
    assert (row.text(), row.toolTip()) == ("my crank", str(sample_file))
    window.actions_.menu("recent").aboutToShow.emit()
    assert window.actions_.menu("recent").actions()[0].text() == "my crank.lwk"
    window.welcome.clear_button.click()
    assert window.welcome.recent_rows == []
    assert settings.recent_files == []


def test_buttons_do_what_they_say(window: MainWindow, sample_file: Path) -> None:
    session: Any = window.session
    session.documents.ask_open_path = lambda: str(sample_file)
    window.welcome.open_button.click()
    assert session.store.path == sample_file
    window.show_welcome()
    window.welcome.new_button.click()
    assert session.store.path is None
    assert not window.on_welcome_page


@pytest.fixture
def store(qtbot: QtBot) -> Any:
    theme.current().start("light")
    made = PictureStore()
    yield made
    made.close()


def test_picture_is_drawn_once_and_kept(store: PictureStore, sample_file: Path, qtbot: QtBot) -> None:
    assert store.picture(sample_file) is None
    with qtbot.waitSignal(store.ready, timeout=60000) as heard:
        store.enable()
    assert heard.args == [sample_file]
    picture: Any = store.picture(sample_file)
    assert (picture.width(), picture.height()) == (WIDTH, HEIGHT)
    image = picture.toImage()
    inks = {image.pixelColor(x, y).name() for x in range(0, WIDTH, 7) for y in range(0, HEIGHT, 7)}
    assert len(inks) > 50  # a mechanism, not an empty ground
    again = PictureStore()
    assert again.picture(sample_file) is not None


def test_changed_file_and_other_theme_get_other_pictures(store: PictureStore, sample_file: Path) -> None:
    first = store._target(sample_file)
    theme.current().choose("dark")
    dark = store._target(sample_file)
    theme.current().choose("light")
    sample_file.write_bytes(samples.path("pendulum").read_bytes())
    assert len({first, dark, PictureStore()._target(sample_file)}) == 3


def test_file_that_cannot_be_drawn_is_not_tried_again(
    store: PictureStore, tmp_path: Path, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    bad = tmp_path / "bad.lwk"
    bad.write_text("{", encoding="utf-8")
    store.picture(bad)
    store.enable()
    qtbot.waitUntil(lambda: bool(store._failed), timeout=60000)
    assert "bad.lwk" in caplog.text
    assert store.picture(bad) is None
    assert store._queue == []


def test_missing_file_has_no_picture(store: PictureStore, tmp_path: Path) -> None:
    assert store.picture(tmp_path / "none.lwk") is None
    assert store._queue == []


def test_card_shows_its_picture(window: MainWindow, qtbot: QtBot) -> None:
    add_samples(window)
    card = window.welcome.grid.cards[0]
    target: Any = window.pictures._target(card.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    existed = target.exists()
    picture = QPixmap(WIDTH, HEIGHT)
    picture.fill(QColor("#ff0000"))
    window.pictures._pictures[target] = picture
    assert card.grab().toImage().pixelColor(150, 100).name() == "#ff0000"
    assert existed == target.exists()


def test_cache_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "new"))
    assert paths.cache_folder() == tmp_path / "new" / "cache"
    assert paths.settings_file().parent.is_dir()
    assert paths.log_file().parent.is_dir()
