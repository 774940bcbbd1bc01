// The worker: holds an instance of the module and answers one question after the other.
//
// In: first { module }, then { id, request }. Out: { ready }, then { id, answer } or { id, failed }. After `failed` the
// instance is of no more use, and the page starts another worker.

let instance;
let told = "";

function text(at, length) {
  return new TextDecoder().decode(new Uint8Array(instance.exports.memory.buffer, at, length));
}

async function begin(module) {
  const host = {
    now: () => performance.now(),
    panicked: (at, length) => {
      told = text(at, length);
    },
  };
  // Libraries name functions of a browser that nothing here calls.
  const imports = { host };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "host") continue;
    imports[from] ??= {};
    imports[from][name] = () => {
      throw new Error(`nothing here calls ${name}`);
    };
  }
  instance = await WebAssembly.instantiate(module, imports);
  instance.exports.begin();
}

function ask(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const place = instance.exports.room(bytes.length);
  new Uint8Array(instance.exports.memory.buffer, place, bytes.length).set(bytes);
  const at = instance.exports.answer();
  return JSON.parse(text(at, instance.exports.length()));
}

// A stack that is full, and memory that is, are told in words; all else is a mistake of Pullback's.
function reason(error) {
  if (error instanceof RangeError || /out of bounds/.test(error.message)) {
    return "The program or its evaluation is nested too deeply for a browser. The command `pullback` has a larger stack.";
  }
  return told ? `This is a mistake in Pullback: ${told}` : "The memory of the page is full.";
}

self.onmessage = async ({ data }) => {
  if (data.module) {
    try {
      await begin(data.module);
      self.postMessage({ ready: true });
    } catch (error) {
      self.postMessage({ id: null, failed: `The playground cannot start: ${error.message}` });
    }
    return;
  }
  try {
    self.postMessage({ id: data.id, answer: ask(data.request) });
  } catch (error) {
    self.postMessage({ id: data.id, failed: reason(error) });
  }
};
