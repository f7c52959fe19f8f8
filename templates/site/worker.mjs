// Checks submissions on Pyodide, away from the page, which can end this worker at any time.

const WASM_PAGE = 65536;
const base = new URL(".", import.meta.url);

let checker, python, flint;

async function bytes(name) {
  const answer = await fetch(new URL(name, base));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
}

// Memory beyond the budget is refused here, where all of it is asked for, and the page is told, which ends the worker.
function limitMemory(most) {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + WASM_PAGE * pages > most) {
      postMessage({ kind: "memory" });
      throw new RangeError("memory beyond the budget");
    }
    return grow.call(this, pages);
  };
}

async function open(settings) {
  const { gigabytes, flint: wheel } = JSON.parse(settings);
  flint = wheel;
  limitMemory(gigabytes * 1e9);
  const [{ loadPyodide }, program] = await Promise.all([import(new URL("pyodide/pyodide.mjs", base)), bytes("symattn.zip")]);
  python = await loadPyodide();
  python.FS.writeFile("/symattn.zip", new Uint8Array(program));
  python.runPython("import sys; sys.path.insert(0, '/symattn.zip')");
  checker = python.pyimport("symattn.courses.site.practice").Checker(settings);
}

async function check(text, format) {
  postMessage({ kind: "begins" });
  const answer = JSON.parse(checker.check(text, format));
  if (!answer.needs_flint || flint === null) return answer;
  postMessage({ kind: "loading" });
  python.unpackArchive(await bytes(`pyodide/${flint}`), "whl");
  flint = null;
  return check(text, format);
}

onmessage = async ({ data }) => {
  try {
    if (data.kind === "open") {
      await open(data.settings);
      postMessage({ kind: "ready" });
    } else {
      postMessage({ kind: "answer", answer: await check(data.text, data.format) });
    }
  } catch (fault) {
    postMessage({ kind: "fault", text: String(fault.message ?? fault).trim().split("\n").at(-1) });
  }
};
