// Workers that answer questions. A worker that is stopped, or that failed, is replaced by a fresh one.

/** Why a question has no answer: somebody stopped it. */
export class Stopped extends Error {}

/** Why a question has no answer: the module could not go on. */
export class Failed extends Error {}

/** Bytes of base64, unpacked. */
async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The compiled module, which all workers share. */
export async function compiled(base64) {
  return WebAssembly.compile(await unpacked(base64));
}

/** One worker at a time, with questions that wait for it. */
export class Room {
  #module;
  #source;
  #worker;
  #ready;
  #waiting = new Map();
  #next = 1;

  constructor(module, source) {
    this.#module = module;
    this.#source = source;
    this.#start();
  }

  #start() {
    const address = URL.createObjectURL(new Blob([this.#source], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.#worker = worker;
    this.#ready = new Promise((resolve) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else this.#take(data);
      };
    });
    worker.onerror = (event) => this.#take({ id: null, failed: event.message });
    worker.postMessage({ module: this.#module });
  }

  #take({ id, answer, failed }) {
    if (failed === undefined) {
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
      return;
    }
    this.#replace(new Failed(failed));
  }

  #replace(why) {
    this.#worker.terminate();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#start();
    for (const { reject } of waiting) reject(why);
  }

  /** Whether a question is being answered. */
  get isBusy() {
    return this.#waiting.size > 0;
  }

  /** Answers a question. */
  async ask(request) {
    const worker = this.#worker;
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    await this.#ready;
    if (worker === this.#worker) worker.postMessage({ id, request });
    return answer;
  }

  /** Ends the questions under way, whatever they are doing. */
  stop() {
    if (this.isBusy) this.#replace(new Stopped("stopped"));
  }
}
