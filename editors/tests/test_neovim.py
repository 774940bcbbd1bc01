"""Neovim, set up as `docs/editor.md` says, shows mistakes and colours, formats, and runs lenses. Needs Neovim 0.11."""

import os
import re
import shutil
import subprocess

import pytest
from grammar import BUILT, FOLDER
from sources import COMMAND, ROOT

TEXT = """\
-- | The square of a number.
--@ square 3.0 = 9.0
def square (x: Real): Real = x * x

def area (r: Real): Real = 3.14 * squared r
"""

SCRIPT = """
local function say(...) io.stdout:write(table.concat(vim.tbl_map(tostring, { ... }), " "), "\\n") end
local function until_(what) assert(vim.wait(20000, what), "in time") end
local function session()
vim.cmd.edit(vim.env.PROGRAM)
until_(function() return #vim.diagnostic.get(0) > 0 end)
say("mistake", vim.split(vim.diagnostic.get(0)[1].message, "\\n")[1])
vim.treesitter.get_parser(0, "pullback"):parse(true)
for _, at in ipairs({ { 0, 4 }, { 1, 5 }, { 2, 1 }, { 2, 5 }, { 4, 27 } }) do
  local captures = vim.treesitter.get_captures_at_pos(0, at[1], at[2])
  say("colour", captures[#captures].capture)
end
for _, name in ipairs({ "highlights", "injections", "locals", "folds", "indents" }) do
  assert(vim.treesitter.query.get("pullback", name), name)
end
vim.api.nvim_buf_set_lines(0, 4, 5, false, { "def area (r: Real): Real = 3.14   * square r" })
vim.lsp.buf.format({ timeout_ms = 20000 })
say(vim.api.nvim_buf_get_lines(0, 4, 5, false)[1])
local client = vim.lsp.get_clients({ bufnr = 0 })[1]
local file = { textDocument = { uri = vim.uri_from_bufnr(0) } }
local lenses = client:request_sync("textDocument/codeLens", file, 20000, 0).result
local told
for _, lens in ipairs(lenses) do
  told = nil
  client:exec_cmd(lens.command, { bufnr = 0 }, function(_, answer) told = answer.text end)
  until_(function() return told ~= nil end)
  say(lens.command.command, (told:gsub(".*\\n", "")))
end
end
local well, wrong = xpcall(session, debug.traceback)
if not well then io.stderr:write(wrong, "\\n") end
vim.cmd(well and "qa!" or "cq")
"""

EXPECTED = """\
mistake unknown name `squared`
colour comment.documentation
colour function.call
colour keyword
colour function
colour number
def area (r: Real): Real = 3.14 * square r
pullback.test holds
pullback.evaluate square 3.0 = 9.0
pullback.gradient grad square 3.0 = 6.0
pullback.evaluate square 3.0 = 9.0
pullback.gradient grad square 3.0 = 6.0
pullback.checkGrad 12 checks in 4 directions: 12 hold
"""


def is_new():
    """Whether Neovim is there, and new enough."""
    if not shutil.which("nvim"):
        return False
    told = subprocess.run(["nvim", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"v(\d+)\.(\d+)", told).groups())) >= (0, 11)


@pytest.mark.skipif(not is_new() or not shutil.which(COMMAND), reason="needs Neovim 0.11 and the command")
def test_neovim_as_documented(tmp_path):
    page = (ROOT / "docs" / "editor.md").read_text()
    config, bin_ = tmp_path / "nvim", tmp_path / "bin"
    config.mkdir()
    (config / "init.lua").write_text(re.search(r"```lua\n(.*?)```", page, re.DOTALL)[1])
    bin_.mkdir()
    (bin_ / "pullback").symlink_to(COMMAND)
    (tmp_path / "area.pull").write_text(TEXT)
    (tmp_path / "test.lua").write_text(SCRIPT)
    folders = {name: str(tmp_path) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
    own = {**folders, "PATH": f"{bin_}:{os.environ['PATH']}", "PROGRAM": str(tmp_path / "area.pull")}
    environment = {**os.environ, **own, "PULLBACK_PARSER": str(BUILT)}
    subprocess.run([FOLDER / "install", "neovim"], env=environment, check=True)
    command = ["nvim", "--headless", "-n", "-S", str(tmp_path / "test.lua")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout == EXPECTED, run.stderr


def test_helix_finds_what_is_installed(tmp_path):
    environment = {**os.environ, "PULLBACK_PARSER": str(BUILT)}
    subprocess.run([FOLDER / "install", "helix", tmp_path], env=environment, check=True)
    assert (tmp_path / "runtime" / "grammars" / "pullback.so").exists()
    queries = tmp_path / "runtime" / "queries" / "pullback"
    assert sorted(path.name for path in queries.iterdir()) == ["highlights.scm", "indents.scm", "injections.scm"]
    # Names that Helix has no colours for.
    others = re.compile(r"@(number|boolean|module|property|function\.call|keyword\.(conditional|repeat))\b")
    assert not others.search((queries / "highlights.scm").read_text())
