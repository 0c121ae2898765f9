"""Names of channels for people."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from linkwright.document.mechanism import Mechanism
from linkwright_app import translation


def group_title(mechanism: Mechanism, channel: str) -> str:
    """Name of what a channel belongs to: an element's label, or energy, constraints."""
    head, _, _ = channel.partition(".")
    if mechanism.has(head):
        return mechanism.element(head).label
    known = {
        "energy": QCoreApplication.translate("channels", "Energy"),
        "constraint": QCoreApplication.translate("channels", "Constraints"),
    }
    return known.get(head, translation.core(head))


def quantity_title(channel: str) -> str:
    """Name of what a channel measures."""
    _, _, tail = channel.partition(".")
    known = {
        "kinetic": QCoreApplication.translate("channels", "kinetic"),
        "gravity": QCoreApplication.translate("channels", "gravity"),
        "springs": QCoreApplication.translate("channels", "springs"),
        "total": QCoreApplication.translate("channels", "total"),
        "force_work": QCoreApplication.translate("channels", "work of forces"),
        "actuator_work": QCoreApplication.translate("channels", "work of actuators"),
        "damper_loss": QCoreApplication.translate("channels", "damper loss"),
        "balance_error": QCoreApplication.translate("channels", "balance error"),
        "position": QCoreApplication.translate("channels", "position"),
        "velocity": QCoreApplication.translate("channels", "velocity"),
        "length": QCoreApplication.translate("channels", "length"),
        "rate": QCoreApplication.translate("channels", "rate"),
        "force": QCoreApplication.translate("channels", "force"),
        "spring_force": QCoreApplication.translate("channels", "spring force"),
        "power": QCoreApplication.translate("channels", "power"),
        "work": QCoreApplication.translate("channels", "work"),
        "torque": QCoreApplication.translate("channels", "torque"),
    }
    return known.get(tail, translation.core(tail.replace("_", " ").replace(".", " ")))


def channel_title(mechanism: Mechanism, channel: str) -> str:
    """Whole name of a channel: ``S1 spring force``."""
    return QCoreApplication.translate("channels", "{0} {1}").format(
        group_title(mechanism, channel), quantity_title(channel)
    )


def unit_quantity(unit: str) -> str:
    """Name of what a unit measures, for an axis that carries several channels."""
    known = {
        "m": QCoreApplication.translate("channels", "length"),
        "m/s": QCoreApplication.translate("channels", "speed"),
        "N": QCoreApplication.translate("channels", "force"),
        "J": QCoreApplication.translate("channels", "energy"),
        "W": QCoreApplication.translate("channels", "power"),
        "N m": QCoreApplication.translate("channels", "torque"),
        "rad": QCoreApplication.translate("channels", "angle"),
        "rad/s": QCoreApplication.translate("channels", "angular speed"),
    }
    return known.get(unit, QCoreApplication.translate("channels", "value"))
