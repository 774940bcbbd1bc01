// The page: a program, a call of one of its functions, and a panel that shows something of that call.
//
// Two rooms of workers: one checks the program while it is written, the other runs it. To stop a run, its worker is
// ended, so the check goes on whatever the program does.

import { brief } from "./brief.js";
import { choice, field, make } from "./dom.js";
import { makeEditor } from "./editor.js";
import { Failed, Room, Stopped, compiled } from "./engine-room.js";
import { fragment, state as stateOf } from "./link.js";
import { PANELS } from "./panels.js";

const element = (id) => document.getElementById(id);
const embedded = (id) => element(id).textContent;

// How long the page waits after a change before it asks.
const PAUSE_CHECK = 60;
const PAUSE_RUN = 500;

const examples = JSON.parse(embedded("examples-data"));

/** What a link carries, beside the text. */
const state = {
  entry: "",
  args: {},
  tab: "value",
  engine: "trace",
  left: "trace-run",
  right: "delta",
  stage: "lambda",
  vary: "",
  from: "-2.0",
  to: "2.0",
};

let about;
let definitions = [];
let checker;
let runner;
let editor;
let round = 0;

const definition = () => definitions.find(({ name }) => name === state.entry);

/** The arguments of the chosen function: by position, or by name where one of them varies. */
function call(varies = null) {
  const { name, params } = definition();
  const text = (param) => (state.args[name]?.[param.name] ?? param.example).trim();
  if (varies === null) return { entry: name, args: params.map(text).filter((text) => text !== ""), named: {} };
  const others = params.filter((param) => param.name !== varies && text(param) !== "");
  return { entry: name, args: [], named: Object.fromEntries(others.map((param) => [param.name, text(param)])) };
}

/** What panels see of the page. */
const page = {
  state,
  call,
  get about() {
    return about;
  },
  get definition() {
    return definition();
  },
  set(changes) {
    Object.assign(state, changes);
    panelAgain();
  },
};

function status(text, isBusy = false) {
  element("status").textContent = text;
  element("status").classList.toggle("busy", isBusy);
  element("stop").disabled = !isBusy;
}

/** Runs the panel. A run under way is stopped first; its answers are for nobody. */
async function run() {
  runner.stop();
  const mine = ++round;
  const panel = PANELS.find(({ id }) => id === state.tab);
  const output = element("output");
  if (!definition()) {
    output.replaceChildren(make("p", {}, "There is no function to call yet: the program defines none, or has mistakes."));
    status("");
    return;
  }
  const began = performance.now();
  status("Running…", true);
  output.classList.add("stale");
  const text = editor.text;
  const isLatest = () => mine === round;
  const show = (parts) => {
    if (!isLatest()) return;
    output.classList.remove("stale");
    output.replaceChildren(...parts.filter((part) => part !== null));
  };
  const ask = async (request) => {
    const answer = await runner.ask({ text, ...request });
    if (!isLatest()) throw new Stopped("there is a newer run");
    if (answer.refused) throw new Failed(answer.refused);
    return answer;
  };
  try {
    show(await panel.run(Object.create(page, { ask: { value: ask }, show: { value: show } })));
    if (isLatest()) status(`Done in ${duration(performance.now() - began)}.`);
  } catch (error) {
    if (!isLatest()) return;
    if (error instanceof Stopped) {
      status(`Stopped after ${duration(performance.now() - began)}. Change the program or the arguments, and run again.`);
    } else {
      output.classList.remove("stale");
      output.replaceChildren(make("pre", { class: "text complaint" }, error.message));
      status("The run ended without an answer.");
    }
  }
}

function duration(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

function stop() {
  runner.stop();
  element("run").focus();
}

/** Builds the panel of the chosen tab anew, keeps the focus on a control of the same name, and runs it. */
function panelAgain() {
  const focused = document.activeElement;
  const [id, stage] = [focused?.id, focused?.name === "stage" ? focused.value : null];
  const panel = PANELS.find(({ id }) => id === state.tab);
  for (const tab of element("tabs").children) {
    const isChosen = tab.id === `tab-${state.tab}`;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  element("panel").setAttribute("aria-labelledby", `tab-${state.tab}`);
  const controls = definition() ? panel.controls(page) : [];
  element("panel").replaceChildren(...controls, make("div", { id: "output" }));
  if (stage) document.querySelector(`input[name="stage"][value="${stage}"]`)?.focus();
  else if (id && document.activeElement !== focused) element(id)?.focus();
  run();
}

function makeTabs() {
  const tabs = PANELS.map(({ id, title }) =>
    make("button", { id: `tab-${id}`, type: "button", role: "tab", "aria-controls": "panel", onclick: () => page.set({ tab: id }) }, title),
  );
  element("tabs").append(...tabs);
  element("tabs").addEventListener("keydown", (event) => {
    const at = PANELS.findIndex(({ id }) => id === state.tab);
    const last = PANELS.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    page.set({ tab: PANELS[to].id });
    tabs[to].focus();
  });
}

/** Fills in the fields of the call from the definitions of the program. */
function showCall() {
  if (!definition()) {
    const first = definitions.find((one) => one.params.length > 0 && one.givesReal) ?? definitions[0];
    state.entry = first?.name ?? "";
  }
  const entries = definitions.map(({ name, type }) => {
    const text = `${name} : ${type.replaceAll("->", "→")}`;
    return [name, text.length > 60 ? `${text.slice(0, 58)}…` : text];
  });
  const list = choice([{ options: entries }], state.entry);
  list.addEventListener("change", () => {
    state.entry = list.value;
    showCall();
    panelAgain();
  });
  element("entry").replaceWith(list);
  list.id = "entry";
  showArguments();
}

/** The types of the parameters of a function, as its own type has them: what stands before arrows outside of brackets. */
function arrows(type) {
  const types = [""];
  let depth = 0;
  for (const word of type.split(/([()[\]{}]| -> )/)) {
    if ("([{".includes(word) && word) depth += 1;
    if (")]}".includes(word) && word) depth -= 1;
    if (word === " -> " && depth === 0) types.push("");
    else types[types.length - 1] += word;
  }
  return types.slice(0, -1);
}

function showArguments() {
  const group = element("arguments");
  const chosen = definition();
  const given = chosen ? (state.args[chosen.name] ??= {}) : {};
  const types = chosen ? arrows(chosen.type) : [];
  const fields = (chosen?.params ?? []).map((param, at) => {
    const input = make("input", { value: given[param.name] ?? param.example, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    input.addEventListener("input", () => {
      given[param.name] = input.value;
      later(run, PAUSE_RUN);
    });
    const label = make("code", {}, `${param.name} : ${types[at] ?? param.type}`);
    return field(`argument-${at}`, label, input);
  });
  group.replaceChildren(...fields);
  group.hidden = fields.length === 0;
}

const timers = new Map();

/** Does something when nothing has asked for it again for a while. */
function later(work, pause) {
  clearTimeout(timers.get(work));
  timers.set(work, setTimeout(work, pause));
}

function showProblems(problems) {
  const items = problems.map(({ from, line, isError, message }) => {
    const go = () => editor.go(from);
    const lead = make("strong", {}, `Line ${line}: `);
    return make("li", { class: isError ? "error" : "warning" }, make("button", { type: "button", onclick: go }, lead, message));
  });
  element("problems").replaceChildren(...items);
  const errors = problems.filter(({ isError }) => isError).length;
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  element("summary").textContent =
    problems.length === 0 ? "No mistakes" : `${count(errors, "mistake")}, ${count(problems.length - errors, "warning")}`;
}

/** Looks at the program; then runs it if it has no mistakes. */
async function check() {
  const text = editor.text;
  const found = await checker.ask({ do: "check", text }).catch((error) => error);
  if (text !== editor.text) return;
  if (found instanceof Error) {
    showProblems([{ from: 0, line: 1, isError: true, message: found.message }]);
    return;
  }
  editor.show(found);
  showProblems(found.problems);
  if (!found.definitions) {
    if (!element("output")) panelAgain();
    else if (!runner.isBusy) {
      element("output").classList.add("stale");
      status("The program has mistakes. This is what it gave before them.");
    }
    return;
  }
  const before = JSON.stringify(definitions.map(({ name, params, result }) => [name, params, result]));
  definitions = found.definitions;
  const now = JSON.stringify(definitions.map(({ name, params, result }) => [name, params, result]));
  if (before === now) return later(run, PAUSE_RUN);
  showCall();
  const isLoaded = before === "[]";
  if (isLoaded && definition()) editor.reveal(definition().at);
  later(panelAgain, isLoaded ? 0 : PAUSE_RUN);
}

/** Tells what stands at the cursor. */
async function place() {
  const text = editor.text;
  const at = editor.cursor;
  const found = await checker.ask({ do: "hover", text, at }).catch(() => null);
  const derivatives = found?.derivatives ?? [];
  element("place").textContent = [...(found?.code ?? []), ...derivatives.slice(0, 1)].join("   ");
}

/** Puts a program into the editor, with what is shown of it. */
function load({ text, ...rest }) {
  definitions = [];
  state.entry = "";
  state.args = {};
  for (const key of Object.keys(state)) if (key in rest) state[key] = rest[key];
  if (typeof state.args !== "object" || state.args === null) state.args = {};
  if (!PANELS.some(({ id }) => id === state.tab)) state.tab = "value";
  editor.text = text;
}

function makeExamples() {
  const groups = examples.map(({ group, programs }) => ({
    label: group,
    options: programs.map(({ title }) => [title, title]),
  }));
  const list = choice([{ options: [["", "Choose one"]] }, ...groups], "");
  list.addEventListener("change", () => {
    const all = examples.flatMap(({ programs }) => programs);
    const chosen = all.find(({ title }) => title === list.value);
    if (chosen) load(chosen);
  });
  element("examples").replaceWith(list);
  list.id = "examples";
}

async function copyLink() {
  const hash = await fragment({ text: editor.text, ...state });
  history.replaceState(null, "", hash);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  status(copied ? "The link is copied. It carries the program." : "The link is in the address bar. It carries the program.");
}

async function format() {
  const text = editor.text;
  const found = await checker.ask({ do: "format", text }).catch((error) => ({ refused: error.message }));
  if (found.refused) status(`Not formatted: ${found.refused}.`);
  else if (found.text !== text) editor.text = found.text;
  else status("The program is formatted already.");
}

/** Loads what the address carries; says whether there was anything. */
async function loadLink() {
  try {
    const found = await stateOf(location.hash);
    if (found) load(found);
    return found !== null;
  } catch (error) {
    status(`The link cannot be read: ${error.message}`);
    return false;
  }
}

async function main() {
  status("Loading…");
  element("brief").append(brief());
  makeTabs();
  makeExamples();
  const module = await compiled(embedded("module").trim());
  const worker = embedded("worker");
  checker = new Room(module, worker);
  runner = new Room(module, worker);
  about = await checker.ask({ do: "about", text: "" });
  element("version").textContent = about.version;
  editor = makeEditor(element("editor"), {
    ask: (request) => checker.ask(request),
    changed: () => later(check, PAUSE_CHECK),
    moved: () => later(place, PAUSE_CHECK),
    run,
  });
  element("call").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  element("stop").addEventListener("click", stop);
  element("format").addEventListener("click", format);
  element("link").addEventListener("click", copyLink);
  window.addEventListener("hashchange", loadLink);
  if (!(await loadLink())) load(examples[0].programs[0]);
}

main().catch((error) => {
  element("status").textContent = `The playground cannot start: ${error.message}`;
});
