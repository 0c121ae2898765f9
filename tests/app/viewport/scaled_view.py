"""Draw a block with a screen scale given as argument and compare picks with the picture.

Prints the scale, the number of device pixels of the block in the rows and columns tried, and the largest distance in
device pixels between a wrong pick and the border of the block in the picture.
"""

from __future__ import annotations

import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = sys.argv[1]

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from scipy.ndimage import distance_transform_edt

from linkwright.document.bodies import Body
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.document.shapes import Box
from linkwright_app.viewport.viewport import Viewport


def main() -> None:
    application = QApplication([])
    block = Body(
        id="block",
        shapes=(Box(size=(1.0, 0.6, 0.4)),),
        color="#E00000",
        orientation=axis_angle((0.3, 0.5, 1.0), 0.7),
    )
    view = Viewport(theme="light", canvas="image")
    # An odd size, so that scaled sizes are not whole numbers.
    view.resize(351, 263)
    view.show_mechanism(Mechanism(gravity=(0.0, 0.0, 0.0), bodies=(block,)))
    for what in ("grid", "shadows", "labels"):
        view.set_shown(what, False)
    view.move_camera(view.camera.zoomed(1.7, np.zeros(3)))
    view.show()
    application.processEvents()
    view.repaint_now()
    image = view.grab_image(refined=False).convertToFormat(QImage.Format.Format_RGB888)
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    pixels = raw[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)
    red = pixels[..., 0] - pixels[..., 2]
    # Between the darkest face and the ground behind.
    drawn = red > 45
    # The letters of the axes are red too.
    drawn[-int(90 * view.devicePixelRatioF()) :, : int(90 * view.devicePixelRatioF())] = False
    distance = np.where(drawn, distance_transform_edt(drawn), distance_transform_edt(~drawn))
    ratio = view.devicePixelRatioF()
    rows = [(r, c) for r in range(3, image.height(), 17) for c in range(image.width())]
    columns = [(r, c) for c in range(5, image.width(), 19) for r in range(image.height())]
    worst, covered = 0.0, 0
    for row, column in rows + columns:
        place = QPointF((column + 0.5) / ratio, (row + 0.5) / ratio)
        covered += bool(drawn[row, column])
        if (view.pick_at(place).id == "block") != drawn[row, column]:
            # The border runs between this pixel and the nearest one of the other kind.
            worst = max(worst, float(distance[row, column]) - 0.5)
    sys.stdout.write(f"{ratio} {covered} {worst}\n")
    view.release()


main()
