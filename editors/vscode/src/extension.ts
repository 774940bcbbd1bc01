// The client of `pullback lsp`, and what is shown of the tests that lenses run.

import * as vscode from "vscode";
import {
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
} from "vscode-languageclient/node";

import { type Answer, brief, isAnswer } from "./answer";

const TEST = "pullback.test";

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;
let results: Results;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("Pullback", { log: true });
  results = new Results();
  context.subscriptions.push(
    output,
    results,
    vscode.commands.registerCommand("pullback.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("pullback.path")) await restart();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

async function start(): Promise<void> {
  const command = vscode.workspace.getConfiguration("pullback").get("path", "pullback");
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "pullback" },
      { scheme: "untitled", language: "pullback" },
    ],
    outputChannel: output,
    middleware: { executeCommand: (name, given) => run(name, given) },
  };
  client = new LanguageClient("pullback", "Pullback", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    output.error(String(error));
    await tellMissing(command);
  }
}

async function tellMissing(command: string): Promise<void> {
  const settings = "Open the setting";
  const said = `\`${command} lsp\` does not start. Install the command, or say in \`pullback.path\` where it is.`;
  if ((await vscode.window.showErrorMessage(said, settings)) === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "pullback.path");
  }
}

/** Runs a command of the server, which the user may stop. The server tells the answer in a message of its own. */
async function run(name: string, given: unknown[]): Promise<unknown> {
  const running = client;
  if (!running) return undefined;
  const title = typeof given[1] === "string" ? given[1] : "test";
  const location = vscode.ProgressLocation.Notification;
  const answer: unknown = await vscode.window.withProgress(
    { location, title: `Pullback: ${title}`, cancellable: true },
    (_, stopped) =>
      running.sendRequest(ExecuteCommandRequest.type, { command: name, arguments: given }, stopped),
  );
  const [address, line] = given;
  if (name === TEST && typeof address === "string" && typeof line === "number" && isAnswer(answer)) {
    results.put(vscode.Uri.parse(address), line, answer);
  }
  return answer;
}

/** What came of tests, at the end of their lines, until the text changes. */
class Results implements vscode.Disposable {
  private readonly held = decoration("✓", "testing.iconPassed");
  private readonly failed = decoration("✗", "testing.iconFailed");
  private readonly known = new Map<string, Map<number, Answer>>();
  private readonly listeners = [
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && this.known.delete(document.uri.toString())) this.draw();
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.known.delete(uri.toString())),
    vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
  ];

  put(uri: vscode.Uri, line: number, answer: Answer): void {
    const key = uri.toString();
    const lines = this.known.get(key) ?? new Map<number, Answer>();
    this.known.set(key, lines.set(line, answer));
    this.draw();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const lines = [...(this.known.get(document.uri.toString()) ?? [])];
      const inside = lines.filter(([line]) => line < document.lineCount);
      const at = (ok: boolean): vscode.DecorationOptions[] =>
        inside
          .filter(([, answer]) => answer.ok === ok)
          .map(([line, answer]) => ({
            range: document.lineAt(line).range,
            hoverMessage: new vscode.MarkdownString().appendCodeblock(answer.text, "text"),
            renderOptions: { after: { contentText: `  ${ok ? "✓" : "✗"} ${brief(answer, 80)}` } },
          }));
      editor.setDecorations(this.held, at(true));
      editor.setDecorations(this.failed, at(false));
    }
  }

  dispose(): void {
    for (const part of [this.held, this.failed, ...this.listeners]) part.dispose();
  }
}

function decoration(mark: string, colour: string): vscode.TextEditorDecorationType {
  const after = { contentText: `  ${mark}`, color: new vscode.ThemeColor(colour) };
  return vscode.window.createTextEditorDecorationType({ after });
}
