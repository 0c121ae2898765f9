"""Puts the samples onto the welcome page and into the File menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from linkwright import samples
from linkwright.document.mechanism import Mechanism
from linkwright.elements.forces.sda import Sda
from linkwright.errors import LinkwrightError
from linkwright.files import model_file
from linkwright_app import translation
from linkwright_app.properties.words import word_text

if TYPE_CHECKING:
    from linkwright_app.window.main_window import MainWindow


def tags_of(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Say in a few words what a model holds: text and tone of each tag."""
    tr = QCoreApplication.translate
    n_body = len(mechanism.bodies)
    springs = [force for force in mechanism.forces if isinstance(force, Sda)]
    n_cable = sum(force.tension_only for force in springs)
    n_spring = len(springs) - n_cable
    counts = (
        (n_body, tr("Samples", "1 body"), tr("Samples", "{count} bodies")),
        (n_spring, tr("Samples", "1 spring"), tr("Samples", "{count} springs")),
        (n_cable, tr("Samples", "1 cable"), tr("Samples", "{count} cables")),
    )
    tags = [(word_text(mechanism.settings.engine, "integrator"), "accent")]
    tags += [(one if n == 1 else many.format(count=n), "grey") for n, one, many in counts if n]
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
