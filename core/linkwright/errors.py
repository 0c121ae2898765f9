"""Everything Linkwright raises on purpose: full sentences that name the element and say what to try."""

from __future__ import annotations


class LinkwrightError(Exception):
    """Base of all errors meant for a person.

    Parameters
    ----------
    message : str
        Full sentences: what is wrong, where, what to try.
    element : str or None
        Id of the element at fault, so that a window can select it.
    """

    def __init__(self, message: str, element: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.element = element


class DocumentError(LinkwrightError):
    """The mechanism itself is not valid: a value out of range, a reference to nothing, an id used twice."""


class ExpressionError(DocumentError):
    """A formula cannot be read or evaluated; ``position`` is the index of the offending character.

    Parameters
    ----------
    message : str
        Full sentences.
    text : str
        The formula.
    position : int
        Index into `text`.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message)
        self.text = text
        self.position = position


class FileError(LinkwrightError):
    """A file cannot be read or written; nothing was opened or changed."""


class OptionError(LinkwrightError):
    """An engine, option, parameter or sample of that name does not exist, or its value is not allowed."""


class CompileError(LinkwrightError):
    """A valid mechanism cannot be turned into numbers."""


class RunError(LinkwrightError):
    """A run ended early; all steps before ``t`` are kept.

    Parameters
    ----------
    message : str
        Full sentences.
    element : str or None
        Element with the largest residual.
    step : int
        Index of the failed step, counted from 1.
    t : float
        Time of the last good step [s].
    """

    def __init__(self, message: str, element: str | None = None, step: int = 0, t: float = 0.0) -> None:
        super().__init__(message, element)
        self.step = step
        self.t = t
