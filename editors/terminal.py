"""A terminal in tmux: keys in, the screen out, as text and as a picture whose words are text (SVG)."""

import re
import subprocess
import time
import unicodedata
from html import escape

BACKGROUND, FOREGROUND = "#1e1e2e", "#cdd6f4"
NAMED = (
    "#45475a #f38ba8 #a6e3a1 #f9e2af #89b4fa #cba6f7 #94e2d5 #bac2de "
    "#7f849c #f38ba8 #a6e3a1 #f9e2af #89b4fa #cba6f7 #94e2d5 #ffffff"
).split()
WIDTH, HEIGHT, SIZE, EDGE = 8.4, 18, 14, 14
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


class Terminal:
    """A terminal that runs a command until it is closed."""

    def __init__(self, command, size, folder, name="pullback-pictures"):
        self.start = ["tmux", "-L", name, "-f", "/dev/null"]
        columns, rows = map(str, size)
        options = ["set", "-g", "default-terminal", "tmux-256color", ";", "set", "-g", "escape-time", "0", ";"]
        options += ["set", "-sa", "terminal-overrides", ",*:RGB", ";"]
        self.tmux("kill-server", check=False)
        self.tmux("start-server", ";", *options, "new-session", "-d", "-x", columns, "-y", rows, "-c", folder, command)

    def tmux(self, *arguments, check=True):
        """What a command of tmux prints."""
        command = [*self.start, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=check).stdout

    def write(self, text):
        """Writes a text as keys."""
        self.tmux("send-keys", "-l", text)

    def press(self, *keys):
        """Presses keys by their names."""
        self.tmux("send-keys", *keys)

    def line(self, text, then):
        """Writes a line and waits for a text in the screen."""
        self.write(text)
        self.press("Enter")
        self.wait(then)

    def wait(self, then):
        """Waits until the screen has a text, or fits a condition, and is at rest."""
        fits = then if callable(then) else lambda screen: then in screen
        before = None
        for _ in range(600):
            screen = self.tmux("capture-pane", "-p")
            if fits(screen) and screen == before:
                return
            before = screen
            time.sleep(0.1)
        raise TimeoutError(f"no {then!r} in\n{before}")

    def picture(self, title):
        """The screen as SVG."""
        return svg(self.tmux("capture-pane", "-e", "-p", "-N"), title)

    def close(self):
        """Ends what runs."""
        self.tmux("kill-server", check=False)


def colour(codes):
    """The colour that the codes behind 38 or 48 name, taken from the list."""
    kind = codes.pop(0)
    if kind == 2:
        return "#{:02x}{:02x}{:02x}".format(*(codes.pop(0) for _ in range(3)))
    number = codes.pop(0)
    if number < 16:
        return NAMED[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    levels = [0, 95, 135, 175, 215, 255]
    number -= 16
    return "#{:02x}{:02x}{:02x}".format(*(levels[number // step % 6] for step in (36, 6, 1)))


def style(before, text):
    """The style after a sequence of codes."""
    new = dict(before)
    codes = []
    for code in (text or "0").split(";"):
        # `4:3` is a wave below the text.
        number, *kind = code.split(":")
        codes += [0 if number == "" else int(number)] if not kind or number != "4" else [4 if kind != ["0"] else 24]
    while codes:
        code = codes.pop(0)
        names = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}
        if code == 0:
            new = {}
        elif code in names:
            new[names[code]] = True
        elif code in (22, 23, 24, 27):
            for name in {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",)}[code]:
                new.pop(name, None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            new["fill"] = NAMED[code - 30 if code < 90 else code - 82]
        elif 40 <= code <= 47 or 100 <= code <= 107:
            new["ground"] = NAMED[code - 40 if code < 100 else code - 92]
        elif code in (38, 48):
            new["fill" if code == 38 else "ground"] = colour(codes)
        elif code in (39, 49):
            new.pop("fill" if code == 39 else "ground", None)
        elif code == 58:
            colour(codes)
    return new


def runs(line, at):
    """The pieces of a line, each with its column and style, and the style at its end."""
    found, column = [], 0
    for piece in re.split(r"(\x1b\[[0-9;:]*m|\x1b\][^\x1b]*\x1b\\)", line):
        if piece.startswith("\x1b["):
            at = style(at, piece[2:-1])
        elif piece and not piece.startswith("\x1b"):
            found.append((column, piece, at))
            column += sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in piece)
    return found, at


def svg(screen, title):
    """A screen with its colours as SVG."""
    rows, at = [], {}
    for line in screen.rstrip("\n").split("\n"):
        row, at = runs(line, at)
        rows.append(row)
    while rows and not any(text.strip() or "ground" in look for _, text, look in rows[-1]):
        rows.pop()
    columns = max(column + len(text) for row in rows for column, text, _ in row)
    width, height = columns * WIDTH + 2 * EDGE, len(rows) * HEIGHT + 2 * EDGE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="{escape(FONT)}" font-size="{SIZE}" role="img">',
        f"<title>{escape(title)}</title>",
        "<style>text { white-space: pre } .b { font-weight: bold } .i { font-style: italic } .d { opacity: .6 }"
        " .u { text-decoration: underline }</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
    ]
    grounds, texts = [], []
    for number, row in enumerate(rows):
        top = EDGE + number * HEIGHT
        for column, text, look in row:
            fill, ground = look.get("fill", FOREGROUND), look.get("ground", BACKGROUND)
            if "reverse" in look:
                fill, ground = ground, fill
            left, wide = EDGE + column * WIDTH, len(text) * WIDTH
            if ground != BACKGROUND:
                grounds.append(f'<rect x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{HEIGHT}" fill="{ground}"/>')
            shown = text.strip()
            if not shown:
                continue
            left += (len(text) - len(text.lstrip())) * WIDTH
            names = "".join(name[0] + " " for name in ("bold", "italic", "dim", "underline") if name in look).strip()
            classes = f' class="{names}"' if names else ""
            texts.append(
                f'<text x="{left:.1f}" y="{top + 13}" textLength="{len(shown) * WIDTH:.1f}" '
                f'fill="{fill}"{classes}>{escape(shown, quote=False)}</text>'
            )
    return "\n".join([*out, *grounds, *texts, "</svg>\n"])
