// The editor: CodeMirror with the words, mistakes, hovers and completions that the language tells.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";

const coloured = StateEffect.define();

// Colours of words. While nobody has told new ones, the old ones move with the text.
const colours = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    let now = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(coloured)) now = effect.value;
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marks(words, length) {
  const inside = words.filter(([from, to]) => from < to && to <= length);
  return Decoration.set(inside.map(([from, to, name]) => Decoration.mark({ class: `w-${name}` }).range(from, to)));
}

/** A block of code and words for a tooltip. */
function tooltip({ code, derivatives, doc }) {
  const dom = document.createElement("div");
  dom.className = "hover";
  const add = (tag, text) => {
    const part = document.createElement(tag);
    part.textContent = text;
    dom.append(part);
  };
  add("pre", code.join("\n"));
  if (derivatives.length > 0) add("pre", derivatives.join("\n"));
  if (doc.trim()) add("p", doc.trim());
  return { dom };
}

/** The editor. `ask` answers questions about a text; `changed`, `moved` and `run` are told. */
export function makeEditor(parent, { ask, changed, moved, run }) {
  const hover = hoverTooltip(async (view, at) => {
    const found = await ask({ do: "hover", text: view.state.doc.toString(), at }).catch(() => null);
    if (!found?.code || found.to > view.state.doc.length) return null;
    return { pos: found.from, end: found.to, above: true, create: () => tooltip(found) };
  });
  const complete = async (context) => {
    const word = context.matchBefore(/[\w']+|\./);
    if (!word && !context.explicit) return null;
    const found = await ask({ do: "complete", text: context.state.doc.toString(), at: context.pos }).catch(() => null);
    if (!found || found.options.length === 0) return null;
    const options = found.options.map(({ label, detail, info }) => ({ label, detail, info: info || undefined }));
    return { from: found.from, options, validFor: /^[\w']*$/ };
  };
  const listener = EditorView.updateListener.of((update) => {
    if (update.docChanged) changed();
    if (update.docChanged || update.selectionSet) moved();
  });
  const runKey = { key: "Mod-Enter", run: () => (run(), true), preventDefault: true };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: "",
      extensions: [
        lineNumbers(),
        lintGutter(),
        highlightSpecialChars(),
        highlightActiveLine(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        indentUnit.of("  "),
        autocompletion({ override: [complete], icons: false }),
        hover,
        colours,
        listener,
        keymap.of([runKey, ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Program", "aria-describedby": "editor-help", spellcheck: "false" }),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
    },
    /** Where the cursor is. */
    get cursor() {
      return view.state.selection.main.head;
    },
    /** Shows what `check` found. */
    show({ words, problems }) {
      const length = view.state.doc.length;
      view.dispatch({ effects: coloured.of(marks(words, length)) });
      const diagnostics = problems
        .filter(({ to }) => to <= length)
        .map(({ from, to, isError, message, code, fixes }) => ({
          from,
          to: Math.max(to, Math.min(from + 1, length)),
          severity: isError ? "error" : "warning",
          message,
          source: code,
          actions: fixes.map((fix) => ({
            name: fix.title,
            apply: (view) => view.dispatch({ changes: fix.changes }),
          })),
        }));
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    /** Scrolls a place into view, below what is written above it. What the first lines show needs no scrolling. */
    reveal(at) {
      const lines = 4 * view.defaultLineHeight;
      const { top } = view.lineBlockAt(Math.min(at, view.state.doc.length));
      const isShown = top + lines <= view.scrollDOM.clientHeight;
      view.scrollDOM.scrollTop = isShown ? 0 : Math.max(0, top - lines);
    },
    /** Puts the cursor somewhere and shows it. */
    go(at) {
      view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) }, scrollIntoView: true });
      view.focus();
    },
  };
}
