"""Makes the pictures of the pages on editors and on the prompt, from sessions with the real command:

    python3 editors/pictures.py

A word behind it chooses pictures. It needs tmux, the command (`PULLBACK`, or target/release/pullback), and for those of the
editor Neovim 0.11, which is set up as `docs/editor.md` says.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from terminal import Terminal

ROOT = Path(__file__).resolve().parents[1]
COMMAND = Path(os.environ.get("PULLBACK", ROOT / "target" / "release" / "pullback")).resolve()

PROGRAM = """\
import "linalg" as la

-- | How far the model is from the data.
--@ loss [1.0, 2.0] [2.0, 4.0] 1.5 = 1.25
def loss [n] (xs: [n]Real) (ys: [n]Real) (slope: Real): Real =
  let errors = slope *. xs - ys in
  la.dot errors errors

def fitted xs ys =
  loop slope = 0.0 for _ < 50 do
    slope - 0.1 * grad (loss xs ys) slope
"""

SETTINGS = """
vim.o.termguicolors, vim.o.number, vim.o.ruler, vim.o.laststatus, vim.o.showmode = true, true, false, 0, false
vim.o.shortmess, vim.o.cmdheight, vim.o.fillchars = "filnxtToOFIcCS", 1, "eob: "
vim.o.winborder = "rounded"
vim.diagnostic.config({ virtual_lines = true, signs = false })
for _, name in ipairs({ "Normal", "NormalFloat", "FloatBorder", "MsgSeparator" }) do
  vim.api.nvim_set_hl(0, name, { fg = "#cdd6f4", bg = "#1e1e2e" })
end
for _, name in ipairs({ "LspInlayHint", "LspCodeLens", "LspCodeLensSeparator" }) do
  vim.api.nvim_set_hl(0, name, { fg = "#9399b2" })
end
vim.api.nvim_create_autocmd("LspAttach", { callback = function(event)
  vim.lsp.inlay_hint.enable(true)
  vim.lsp.codelens.refresh({ bufnr = event.buf })
  vim.lsp.completion.enable(true, event.data.client_id, event.buf, { autotrigger = true })
end })
"""


def prompt(folder):
    """A session at the prompt."""
    environment = f"XDG_STATE_HOME={folder} TERM=tmux-256color"
    terminal = Terminal(f"env {environment} {COMMAND} repl", (84, 60), folder)
    empty = re.compile(r"\n>\s*$")

    def line(text):
        terminal.line(text, empty.search)

    try:
        terminal.wait(empty.search)
        terminal.line("def wave (x: Real): Real =", "\n|")
        line("  exp (-(x ^ 2)) * sin (3.0 * x)")
        line("wave 0.5")
        line(":grad wave 0.5")
        line(":type vjp wave")
        line("wave true")
        line(":plot wave -2 2")
        terminal.write("cum")
        terminal.press("Tab")
        terminal.wait("cumsum")
        return terminal.picture("A session at the prompt: a definition, its gradient, a mistake, a plot, and completion")
    finally:
        terminal.close()


def neovim(folder, text, after):
    """A session of Neovim with a program."""
    page = (ROOT / "docs" / "editor.md").read_text()
    config, bin_ = folder / "nvim", folder / "bin"
    config.mkdir()
    bin_.mkdir()
    own = re.search(r"```lua\n(.*?)```", page, re.DOTALL)[1]
    (config / "init.lua").write_text(own + SETTINGS)
    (bin_ / "pullback").symlink_to(COMMAND)
    (folder / "fit.pull").write_text(text)
    names = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    environment = " ".join(f"{name}={folder}" for name in names)
    path = f"{bin_}:{os.environ['PATH']}"
    terminal = Terminal(f"env {environment} PATH='{path}' COLORTERM=truecolor nvim -n fit.pull", (118, 22), folder)
    try:
        return after(terminal)
    finally:
        terminal.close()


def hover(folder):
    """What is said of a name, with lenses and hints of types."""

    def after(terminal):
        terminal.wait(lambda screen: "check gradient" in screen and ": [n]Real" in screen)
        terminal.write("/loss xs ys) slope")
        terminal.press("Enter")
        terminal.line(":nohlsearch | lua vim.lsp.buf.hover()", "jacobian")
        terminal.press("Escape")
        return terminal.picture("Neovim: lenses, types that are not written, and what is said of a function")

    return neovim(folder, PROGRAM, after)


def mistake(folder):
    """A mistake as it is written, and what mends it."""

    def after(terminal):
        terminal.wait("not in scope")
        terminal.write("/trace")
        terminal.press("Enter")
        terminal.line(":nohlsearch | lua vim.lsp.buf.code_action()", "linalg.trace`")
        return terminal.picture("Neovim: a mistake, and the changes that mend it")

    text = PROGRAM.replace("la.dot errors errors", "trace errors").replace('import "linalg" as la\n\n', "")
    return neovim(folder, text, after)


PICTURES = {"prompt": prompt, "editor-hover": hover, "editor-mistake": mistake}


def main():
    """Makes the pictures that are asked for."""
    if not shutil.which("tmux"):
        sys.exit("needs tmux")
    wanted = sys.argv[1:] or PICTURES
    for name, make in PICTURES.items():
        if not any(word in name for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            picture = make(Path(folder))
        path = ROOT / "docs" / "images" / f"{name}.svg"
        path.parent.mkdir(exist_ok=True)
        path.write_text(picture)
        print(path.relative_to(ROOT), f"{len(picture) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
