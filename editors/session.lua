-- What Neovim does in the session that `editors/record.py` records.

local function until_(what)
  assert(vim.wait(20000, what, 20), "in time")
end

local function session()
  vim.cmd.edit(vim.env.PROGRAM)
  local client
  until_(function()
    client = vim.lsp.get_clients({ bufnr = 0 })[1]
    return client and client.initialized and #vim.diagnostic.get(0) > 0
  end)
  local encoding = client.offset_encoding
  -- By this number, and not by 0, requests wait for edits that are not sent yet.
  local buffer = vim.api.nvim_get_current_buf()

  local function ask(method, params)
    local answer = client:request_sync("textDocument/" .. method, params, 20000, buffer)
    return assert(answer and answer.result, method)
  end
  local function at(line, column)
    vim.api.nvim_win_set_cursor(0, { line, column })
    return vim.lsp.util.make_position_params(0, encoding)
  end
  local file = { textDocument = vim.lsp.util.make_text_document_params(0) }

  -- A match without all its arms.
  local range = vim.lsp.util.make_given_range_params({ 10, 8 }, { 10, 13 }, 0, encoding)
  range.context = { diagnostics = vim.lsp.diagnostic.from(vim.diagnostic.get(0)) }
  local action = ask("codeAction", range)[1]
  vim.lsp.util.apply_workspace_edit(action.edit, encoding)
  until_(function()
    return #vim.diagnostic.get(0) == 0
  end)

  ask("hover", at(7, 6))
  ask("definition", at(7, 46))
  ask("references", vim.tbl_extend("error", at(7, 6), { context = { includeDeclaration = true } }))
  ask("documentHighlight", at(7, 28))
  ask("signatureHelp", at(6, 13))
  ask("documentSymbol", file)
  ask("foldingRange", file)
  ask("semanticTokens/full", file)
  local everything = vim.lsp.util.make_given_range_params({ 1, 0 }, { 13, 0 }, 0, encoding)
  ask("inlayHint", everything)

  -- A field is being written, behind letters that are two units of UTF-16 and four bytes.
  vim.api.nvim_buf_set_lines(0, 13, 13, false, { "", 'def shown (m: Model): String = "📏" ++ string m.' })
  local behind = at(15, 49)
  behind.position.character = behind.position.character + 1
  ask("completion", behind)
  vim.api.nvim_buf_set_text(0, 14, 50, 14, 50, { "offse" })
  until_(function()
    return #vim.diagnostic.get(0) > 0
  end)
  vim.api.nvim_buf_set_text(0, 14, 55, 14, 55, { "t" })
  until_(function()
    return #vim.diagnostic.get(0) == 0
  end)

  ask("prepareRename", at(7, 6))
  local rename = vim.tbl_extend("error", at(7, 6), { newName = "predicted" })
  vim.lsp.util.apply_workspace_edit(ask("rename", rename), encoding)
  local options = { tabSize = 2, insertSpaces = true }
  local part = vim.lsp.util.make_given_range_params({ 7, 0 }, { 7, 10 }, 0, encoding)
  part.options = options
  vim.lsp.util.apply_text_edits(ask("rangeFormatting", part), buffer, encoding)
  ask("formatting", vim.tbl_extend("error", file, { options = options }))
  for _, lens in ipairs(ask("codeLens", file)) do
    local told
    client:exec_cmd(lens.command, { bufnr = 0 }, function(_, answer)
      told = assert(answer.ok, answer.text)
    end)
    until_(function()
      return told
    end)
  end
end

local well, wrong = xpcall(session, debug.traceback)
if not well then
  io.stderr:write(wrong, "\n")
end
vim.cmd(well and "qa!" or "cq")
