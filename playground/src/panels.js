// What is shown of a call: one panel for each tab.
//
// A panel has a title, controls of its own, and `run`, which asks and gives elements. `page` has the call, the state of
// the page, and `ask`. Questions of one panel are asked one after the other.

import { block, choice, complaints, field, make, prose } from "./dom.js";
import { Failed } from "./engine-room.js";

const number = new Intl.NumberFormat("en");

/** The lines that `debug` told. */
function debugged(answer) {
  return answer.debug?.length > 0 ? [make("h3", {}, "Lines of debug"), block(answer.debug.join("\n"), "Lines of debug")] : [];
}

const value = {
  id: "value",
  title: "Value and gradient",
  controls: (page) => {
    const names = page.about.engines.filter((engine) => engine.runs).map(({ name }) => [name, name]);
    const engine = choice([{ options: names }], page.state.engine);
    engine.addEventListener("change", () => page.set({ engine: engine.value }));
    return [make("div", { class: "row" }, field("engine", "Engine", engine))];
  },
  async run(page) {
    const engine = page.state.engine;
    const { definition } = page;
    const hasGradient = definition.givesReal && definition.params.some((param) => param.hasReals);
    const answer = await page.ask({ do: "value", ...page.call(), engine, gradient: hasGradient });
    const { summary } = page.about.engines.find(({ name }) => name === engine);
    const shown = answer.found ? [block(answer.found.text, "Value and gradient", "answer")] : [];
    const why =
      hasGradient || !answer.found
        ? null
        : make("p", { class: "quiet" }, "A gradient belongs to a function that gives one Real and takes some.");
    const how = hasGradient ? make("p", { class: "quiet" }, `The engine ${engine} ${summary}.`) : null;
    return [...shown, why, ...complaints(answer.diagnostics), ...debugged(answer), how];
  },
};

/** The parameters that a plot may vary. */
export function varying(definition) {
  return definition.params.filter((param) => param.isReal && (param.isNamed || definition.params.length === 1));
}

const plot = {
  id: "plot",
  title: "Plot",
  controls: (page) => {
    const { state } = page;
    const params = varying(page.definition);
    const name = choice([{ options: params.map(({ name }) => [name, name]) }], state.vary);
    const end = (key) => make("input", { value: state[key], autocomplete: "off", spellcheck: "false" });
    const [from, to] = [end("from"), end("to")];
    const set = () => page.set({ vary: name.value, from: from.value, to: to.value });
    for (const control of [name, from, to]) control.addEventListener("change", set);
    return [
      make(
        "div",
        { class: "row" },
        field("vary", "Varies", name),
        field("from", "From", from),
        field("to", "To", to),
      ),
    ];
  },
  async run(page) {
    const { definition, state } = page;
    const params = varying(definition);
    if (params.length === 0) {
      return [make("p", {}, "A plot needs a function that takes a Real. Choose another function above.")];
    }
    const varies = params.some(({ name }) => name === state.vary) ? state.vary : params[0].name;
    const { args, named } = page.call(varies);
    const { entry } = page.call();
    const answer = await page.ask({ do: "plot", entry, args, named, from: state.from, to: state.to });
    if (!answer.found) return complaints(answer.diagnostics);
    const figure = make("div", { class: "figure" });
    figure.innerHTML = answer.found.svg;
    const label = `${entry} from ${state.from} to ${state.to}`;
    figure.firstElementChild.setAttribute("aria-label", label);
    const others = Object.entries(named).map(([name, text]) => `${name} = ${text}`);
    const fixed = others.length > 0 ? ` The others stay where they are: ${others.join(", ")}.` : "";
    const curve = definition.givesReal ? ` The dashed curve is the derivative ${entry}′.` : "";
    return [figure, make("p", { class: "quiet" }, `${varies} goes from ${state.from} to ${state.to}.${curve}${fixed}`)];
  },
};

/** The engines with their forms, to choose from. */
function forms(page) {
  return page.about.engines.map(({ name, stages }) => ({
    label: name,
    options: stages.map((stage) => [stage.name, `${name}: ${stage.name}`]),
  }));
}

function described(page, stage) {
  for (const engine of page.about.engines) {
    const found = engine.stages.find(({ name }) => name === stage);
    if (found) return { engine, about: found.about };
  }
  return { engine: null, about: page.about.stages.find(({ name }) => name === stage)?.about ?? "" };
}

/** The text of a stage, or why there is none. */
async function steps(page, stage) {
  const answer = await page.ask({ do: "stage", ...page.call(), stage });
  const shown = answer.found ? [block(answer.found.text, `The stage ${stage}`, "stage")] : [];
  return [...shown, ...complaints(answer.diagnostics)];
}

const engines = {
  id: "engines",
  title: "Engines",
  controls: (page) => {
    const side = (key, label) => {
      const list = choice(forms(page), page.state[key]);
      const { engine, about } = described(page, page.state[key]);
      list.addEventListener("change", () => page.set({ [key]: list.value }));
      return make(
        "section",
        { "aria-label": label },
        field(key, label, list),
        make("p", { class: "quiet" }, `${about[0].toUpperCase()}${about.slice(1)}. `, prose(engine.paper), "."),
        make("div", { id: `${key}-steps` }),
      );
    };
    return [
      make("p", { class: "quiet" }, "Two methods at the same point, step by step. Each method is an engine that one of the papers describes."),
      make("div", { class: "pair" }, side("left", "First engine"), side("right", "Second engine")),
    ];
  },
  async run(page) {
    for (const key of ["left", "right"]) {
      const shown = await steps(page, page.state[key]);
      document.getElementById(`${key}-steps`)?.replaceChildren(...shown);
    }
    return [];
  },
};

/** The stages of the compiler, in the order in which a program goes through them. */
function path(page) {
  const compiler = page.about.engines.filter(({ name }) => name === "ir" || name === "native");
  return [...page.about.stages, ...compiler.flatMap(({ stages }) => stages)];
}

const compiler = {
  id: "compiler",
  title: "Compiler",
  controls: (page) => {
    const radios = path(page).map(({ name }) => {
      const radio = make("input", { type: "radio", name: "stage", value: name });
      radio.checked = name === page.state.stage;
      radio.addEventListener("change", () => page.set({ stage: name }));
      return make("label", {}, radio, name);
    });
    const { about } = described(page, page.state.stage);
    return [
      make("fieldset", { class: "steps" }, make("legend", { class: "hidden" }, "Stage of the compiler"), radios),
      make("p", { class: "quiet" }, `${about[0].toUpperCase()}${about.slice(1)}.`),
    ];
  },
  run: (page) => steps(page, page.state.stage),
};

const costs = {
  id: "costs",
  title: "Costs",
  controls: () => [],
  async run(page) {
    const body = make("tbody");
    const head = ["Engine", "Value", "Value and gradient", "Ratio", "By weight"];
    const table = make(
      "table",
      {},
      make("caption", { class: "hidden" }, "Operations by engine"),
      make("thead", {}, make("tr", {}, head.map((text, at) => make("th", { scope: "col", class: at > 0 ? "number" : "" }, text)))),
      body,
    );
    const shown = [
      make(
        "p",
        { class: "quiet" },
        "How many operations on numbers each engine takes, counted one by one: no clock is involved. By weight, a ",
        "multiplication counts one and an elementary function eight.",
      ),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Operations by engine" }, table),
    ];
    page.show(shown);
    const ratio = (one, other) => (other > 0 ? (one / other).toFixed(2) : "–");
    for (const engine of page.about.engines.filter(({ runs }) => runs)) {
      const answer = await page.ask({ do: "cost", ...page.call(), engine: engine.name }).catch((error) => {
        // What one engine cannot do, the next one may.
        if (error instanceof Failed) return { refused: error.message, diagnostics: [] };
        throw error;
      });
      const cell = (text) => make("td", { class: "number" }, text);
      const name = make("th", { scope: "row" }, engine.name);
      if (!answer.found) {
        const why = answer.diagnostics.find(({ isError }) => isError)?.title ?? answer.refused;
        body.append(make("tr", {}, name, make("td", { colspan: "4", class: "quiet" }, prose(why ?? "no answer"))));
        continue;
      }
      const { value, both } = answer.found;
      body.append(
        make(
          "tr",
          {},
          name,
          cell(number.format(value.operations)),
          cell(number.format(both.operations)),
          cell(ratio(both.operations, value.operations)),
          cell(ratio(both.weight, value.weight)),
        ),
      );
    }
    return shown;
  },
};

const kinks = {
  id: "kinks",
  title: "Kinks",
  controls: () => [],
  async run(page) {
    const { definition } = page;
    const gradient = definition.givesReal && definition.params.some((param) => param.hasReals);
    const answer = await page.ask({ do: "kinks", ...page.call(), gradient });
    const intro = make(
      "p",
      { class: "quiet" },
      "Where the run meets a point without a derivative, such as abs at 0 or a tie of max, the language takes the ",
      "derivative that its table of conventions says. These are the places at this point, and the first NaN if there is one.",
    );
    if (answer.found?.count === 0) return [intro, make("p", {}, "None: near this point the run is smooth.")];
    return [intro, ...complaints(answer.diagnostics)];
  },
};

/** The panels in the order of their tabs. */
export const PANELS = [value, plot, engines, compiler, costs, kinks];
