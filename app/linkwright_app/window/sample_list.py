"""Puts the samples onto the welcome page and into the File menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.files import model_file
from PySide6.QtCore import QCoreApplication

from linkwright import samples
from linkwright.document.mechanism import Mechanism
from linkwright.elements.forces.sda import Sda
from linkwright.errors import LinkwrightError
from linkwright_app import translation
from linkwright_app.properties.words import word_text

if TYPE_CHECKING:
    from linkwright_app.window.main_window import MainWindow


def tags_of(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Say in a few words what a model holds: text and tone of each tag."""
    n_body = len(mechanism.bodies)
    n_sda = sum(isinstance(force, Sda) for force in mechanism.forces)
    engine = word_text(mechanism.settings.engine).split()[0]
    tr = QCoreApplication.translate
    tags = [(engine, "accent")]
    tags.append(
        (
            tr("Samples", "{count} bodies").format(count=n_body) if n_body != 1 else tr("Samples", "1 body"),
            "grey",
        )
    )
    if n_sda:
        text = (
            tr("Samples", "{count} springs").format(count=n_sda) if n_sda != 1 else tr("Samples", "1 spring")
        )
        tags.append((text, "grey"))
    return tags


def first_sentence(text: str) -> str:
    """Give the beginning of a description up to its first full stop."""
    head, stop, _ = text.partition(". ")
    return head.rstrip(".") if stop or text.endswith(".") else head


def add_samples(window: MainWindow) -> None:
    """Load every sample and show it."""
    menu = window.actions_.menu("samples")
    for sample_id in samples.sample_ids():
        path = samples.path(sample_id)
        try:
            mechanism = model_file.load(path)
        except LinkwrightError as error:
            window.tell_error(error)
            continue
        title = translation.core(mechanism.title or sample_id)
        note = translation.core(first_sentence(mechanism.description))
        window.welcome.add_sample(sample_id, title, note, tags_of(mechanism), path)
        action = menu.addAction(title)
        action.triggered.connect(lambda _=False, one=sample_id: window.welcome.sample_chosen.emit(one))
