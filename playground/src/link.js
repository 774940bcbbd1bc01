// Links that carry the program: the state of the page as JSON, compressed, in the part of the address behind `#`.

async function through(bytes, stream) {
  const all = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(all).arrayBuffer());
}

/** The fragment of a state. */
export async function fragment(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  const base64 = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `#p=${base64}`;
}

/** The state of a fragment; null if it has none. What is no state is an error. */
export async function state(hash) {
  if (!hash.startsWith("#p=")) return null;
  const base64 = hash.slice(3).replaceAll("-", "+").replaceAll("_", "/");
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bytes = await through(packed, new DecompressionStream("deflate-raw"));
  const found = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof found?.text !== "string") throw new Error("there is no program in it");
  return found;
}
