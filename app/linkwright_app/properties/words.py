"""Texts for the words that a document stores: engines, coordinates, kinds of mass, shapes."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def word_text(word: str, field: str = "") -> str:
    """Give the translated text of a stored word; the word itself where it is a symbol such as ``M1+M2``.

    Parameters
    ----------
    word : str
        The stored word.
    field : str
        Name of its field, where one word means different things.
    """
    tr = QCoreApplication.translate
    if (field, word) == ("integrator", "newmark"):
        return tr("Words", "Newmark")
    texts = {
        "newmark": tr("Words", "Newmark implicit"),
        "tree": tr("Words", "Recursive tree"),
        "lcp": tr("Words", "Contact LCP"),
        "automatic": tr("Words", "As the mechanism needs"),
        "spatial": tr("Words", "Spatial"),
        "planar": tr("Words", "Planar"),
        "circular": tr("Words", "Circular"),
        "polyhedral": tr("Words", "Polyhedral"),
        "slide": tr("Words", "Sliding"),
        "turn": tr("Words", "Turning"),
        "x": tr("Words", "Across x"),
        "y": tr("Words", "Across y"),
        "xy": tr("Words", "Across x and y"),
        "ltdl": tr("Words", "Symmetric factors (LTDL)"),
        "sweep": tr("Words", "Sweep with inverses"),
        "dormand-prince": tr("Words", "Dormand-Prince 5(4)"),
        "rk4": tr("Words", "Runge-Kutta 4"),
        "stoermer": tr("Words", "Störmer 6"),
        "symplectic-euler": tr("Words", "Symplectic Euler"),
        "projection": tr("Words", "Projection"),
        "baumgarte": tr("Words", "Baumgarte"),
        "hht": tr("Words", "HHT"),
        "generalized-alpha": tr("Words", "Generalized alpha"),
        "euler-parameters": tr("Words", "Euler parameters"),
        "index-3": tr("Words", "Index 3"),
        "ground": tr("Words", "Of the ground"),
        "body": tr("Words", "Of the body"),
        "from-shapes": tr("Words", "From the shapes"),
        "given": tr("Words", "As given"),
        "difference": tr("Words", "By finite differences"),
        "spring": tr("Words", "Coil spring"),
        "cable": tr("Words", "Cable"),
        "link": tr("Words", "Link"),
        "box": tr("Words", "Box"),
        "cylinder": tr("Words", "Cylinder"),
        "sphere": tr("Words", "Sphere"),
        "plate": tr("Words", "Plate"),
    }
    return texts.get(word, word)
