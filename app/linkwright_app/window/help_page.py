"""The help page (F1): the short guide from the resources, and every key of the window, read from the actions."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from linkwright_app import paths
from linkwright_app.window import theme
from linkwright_app.window.actions import Actions
from linkwright_app.window.command_palette import plain
from linkwright_app.window.widgets import column, push_button, row

CONTEXT = "Guide"


def guide_paragraphs() -> list[str]:
    """Translated paragraphs of the guide; a line that begins with ``#`` is a heading."""
    text = (paths.resources() / "help" / "first_steps.txt").read_text(encoding="utf-8")
    parts = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    found = []
    for part in parts:
        mark, words = ("# ", part.removeprefix("# ")) if part.startswith("# ") else ("", part)
        found.append(mark + QCoreApplication.translate(CONTEXT, words))
    return found


class HelpPage(QDialog):
    """The page.

    Parameters
    ----------
    parent : QWidget
        Window it belongs to.
    actions : Actions
        Source of the keys.
    """

    def __init__(self, parent: QWidget, actions: Actions) -> None:
        super().__init__(parent)
        self._actions = actions
        self.setWindowTitle(self.tr("Keyboard and first steps"))
        self.resize(640, 680)
        self.text = QTextBrowser()
        self.text.setHtml(self._html())
        close = push_button(self.tr("Close"), kind="primary")
        close.clicked.connect(self.accept)
        foot = row(None, close, margins=(16, 10, 16, 12))
        self.setLayout(column(self.text, foot, spacing=0))

    def _html(self) -> str:
        tokens = theme.tokens()
        parts = [f"<div style='margin:16px; color:{tokens.text}'>"]
        for paragraph in guide_paragraphs():
            if paragraph.startswith("# "):
                parts.append(f"<h3>{paragraph[2:]}</h3>")
            else:
                parts.append(f"<p style='line-height:140%'>{paragraph}</p>")
        parts.append(f"<h3>{self.tr('Keys')}</h3><table cellspacing='0' cellpadding='4'>")
        for _, action in self._actions:
            keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()]
            if keys:
                parts.append(
                    f"<tr><td width='170' style='color:{tokens.accent}'>{' · '.join(keys)}</td>"
                    f"<td width='150'>{plain(action)}</td>"
                    f"<td style='color:{tokens.dim}'>{action.statusTip()}</td></tr>"
                )
        parts.append("</table></div>")
        return "".join(parts)
