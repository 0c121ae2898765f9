"""Compile the kernels once: every engine takes one step of every sample it accepts. Called by `bootstrap.py`.

numba keeps the machine code on disk, keyed by the source of the kernels; later starts read it in a second or two.
"""

from __future__ import annotations

import sys
import time

from numba.core import event

import linkwright as lw
from linkwright import samples
from linkwright.run.plan import engine_names


class Progress(event.Listener):
    """One line that says which kernel is done and how many are."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.count = 0
        self.told = 0.0

    def on_start(self, event: event.Event) -> None:
        self.show("compiling the kernels")

    def on_end(self, event: event.Event) -> None:
        dispatcher = event.data.get("dispatcher")
        self.count += 1
        self.show(
            f"compiling the kernels: {self.count:3d}  {dispatcher.py_func.__name__ if dispatcher else ''}"
        )

    def show(self, text: str) -> None:
        elapsed = time.monotonic() - self.begun
        if sys.stdout.isatty():
            print(f"\r  {f'{text}  {elapsed:.0f} s':<76.76}", end="", flush=True)
        elif elapsed - self.told >= 5.0:
            # In a log a line for each would bury the rest.
            self.told = elapsed
            print(f"  {text}  {elapsed:.0f} s", flush=True)


def main() -> None:
    progress = Progress()
    event.register("numba:compile", progress)
    for engine in engine_names():
        for sample_id in samples.sample_ids():
            mechanism = lw.load(sample_id)
            try:
                lw.simulate(mechanism, engine=engine, t_end=mechanism.settings.h)
            except lw.LinkwrightError:
                continue  # this engine does not take this sample
    if sys.stdout.isatty() and progress.count:
        print()


if __name__ == "__main__":
    main()
