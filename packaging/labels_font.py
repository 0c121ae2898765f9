"""Cut the font of the 3D labels from Noto Sans CJK.

VTK draws text from one font file and shows nothing, without a warning, for a glyph that the file lacks. The whole
Noto Sans CJK weighs 19 MB; Latin, Greek, Cyrillic, symbols and the Chinese characters of GB 2312 take a tenth of it.

Usage: python packaging/labels_font.py NotoSansCJK-Regular.ttc   (Debian package fonts-noto-cjk; needs fontTools)
"""

import argparse
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

TARGET = Path(__file__).resolve().parents[1] / "resources" / "fonts" / "LinkwrightLabels-Regular.otf"
FAMILY = "Linkwright Labels"
BLOCKS = [
    (0x0020, 0x007E),  # Latin
    (0x00A0, 0x024F),  # Latin-1 and extended A, B
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x04FF),  # Cyrillic
    (0x2010, 0x2044),  # dashes, quotes, primes
    (0x2070, 0x209C),  # superscripts and subscripts
    (0x2190, 0x21FF),  # arrows
    (0x2200, 0x22FF),  # operators
    (0x25A0, 0x25FF),  # geometric shapes
    (0x3000, 0x30FF),  # Chinese punctuation, kana
    (0xFF01, 0xFF5E),  # full-width forms
]


def gb2312() -> set[int]:
    """Every character of the national character set of simplified Chinese."""
    found = set()
    for high in range(0xA1, 0xF8):
        for low in range(0xA1, 0xFF):
            try:
                found.add(ord(bytes((high, low)).decode("gb2312")))
            except UnicodeDecodeError:
                continue
    return found


def simplified_chinese(path: Path) -> TTFont:
    """The face with the mainland forms out of the collection."""
    for face in TTCollection(path).fonts:
        if face["name"].getDebugName(1) == "Noto Sans CJK SC":
            return face
    raise SystemExit(f"{path} holds no face named Noto Sans CJK SC.")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("source", type=Path)
    font = simplified_chinese(arguments.parse_args().source)
    options = subset.Options()
    options.hinting = False
    options.desubroutinize = False
    options.layout_features = ["kern", "mark", "ccmp"]
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    options.notdef_outline = True
    options.drop_tables += ["VORG", "vhea", "vmtx", "BASE", "DSIG", "GSUB"]
    wanted = gb2312() | {code for first, last in BLOCKS for code in range(first, last + 1)}
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted)
    cutter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 4):
            record.string = FAMILY
        elif record.nameID == 6:
            record.string = FAMILY.replace(" ", "") + "-Regular"
    subset.save_font(font, str(TARGET), options)
    print(f"{TARGET.name}: {len(font.getBestCmap())} characters, {TARGET.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
