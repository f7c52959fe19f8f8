// Hands what is typed to a worker, shows the reports that come back, and ends a worker that exceeds its budget.

const PAUSE = 600;
const [work, format, status, report, note, first, save] = ["work", "format", "status", "report", "note", "first", "save"]
  .map((id) => document.getElementById(id));

let settings, worker, clock, typed, isReady = false, isChecking = false;
let submitted = "";

function say(text) {
  if (status.textContent !== text) status.textContent = text;
}

function start() {
  isReady = isChecking = false;
  say("Loading the checker …");
  worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => take[data.kind](data);
  worker.onerror = (event) => take.fault({ text: event.message ?? "the worker did not start" });
  worker.postMessage({ kind: "open", settings });
}

function end(why) {
  clearTimeout(clock);
  worker.terminate();
  note.textContent = why;
  note.hidden = false;
}

function stop(most) {
  if (!isReady) return take.fault({ text: `it takes more than ${most}` });
  end(`Checking this work takes more than ${most}, so it was stopped, and the checker starts anew. ` +
    "Change your work, or leave out what is large, and it is checked again.");
  start();
}

const take = {
  ready() {
    isReady = true;
    say(work.value.trim() ? "Ready." : "Ready: write your work above.");
    checkSoon();
  },
  loading() {
    clearTimeout(clock);
    say("Loading python-flint, which this work needs …");
  },
  begins() {
    const { seconds } = JSON.parse(settings);
    clearTimeout(clock);
    clock = setTimeout(stop, 1000 * seconds, `${seconds} seconds`);
  },
  memory() {
    stop(`${JSON.parse(settings).gigabytes} GB of memory`);
  },
  fault({ text }) {
    if (isReady) {
      end(`The checker failed on this work (${text}) and starts anew. Please report it to your instructor.`);
      start();
    } else {
      end(`The checker could not be loaded (${text}). Reload the page to try again.`);
      say("");
    }
  },
  answer({ answer }) {
    clearTimeout(clock);
    isChecking = false;
    show(answer);
    checkSoon();
  },
};

function show(answer) {
  const isOpen = report.querySelector("details")?.open;
  // Made by symattn, which escapes everything that somebody typed; the policy of the page forbids scripts in it.
  report.innerHTML = answer.html || '<p class="soft">There is no report on this work.</p>';
  const all = report.querySelector("details");
  if (all) all.open = isOpen;
  const { first_mistake: found, statements } = answer.json ? JSON.parse(answer.json) : {};
  const mistake = found ? statements[found.statement] : null;
  first.hidden = !mistake || mistake.cell !== undefined;
  first.onclick = () => select(mistake);
  URL.revokeObjectURL(save.href);
  save.hidden = !answer.json;
  if (answer.json) save.href = URL.createObjectURL(new Blob([answer.json], { type: "application/json" }));
  note.hidden = !(answer.needs_flint && answer.json);
  note.textContent = "Some digits in your work need python-flint, which this page does not have. What rests on them is undecided.";
  say(answer.status);
}

// Places in a report count characters, and those of a text area count halves of the rarer ones.
function select({ line, column, end_line, end_column }) {
  const lines = work.value.split("\n");
  const place = (row, character) =>
    lines.slice(0, row - 1).join("\n").length + (row > 1) + [...lines[row - 1]].slice(0, character - 1).join("").length;
  work.focus();
  work.setSelectionRange(place(line, column), place(end_line, end_column));
}

function checkSoon() {
  clearTimeout(typed);
  typed = setTimeout(checkNow, PAUSE);
}

function checkNow() {
  const wanted = `${format.value}\n${work.value}`;
  if (!isReady || isChecking || wanted === submitted || !work.value.trim()) return;
  submitted = wanted;
  isChecking = true;
  say("Checking …");
  worker.postMessage({ kind: "check", text: work.value, format: format.value });
}

settings = await (await fetch(new URL("settings.json", import.meta.url))).text();
document.getElementById("offline").hidden = true;
work.disabled = format.disabled = false;
work.oninput = format.onchange = checkSoon;
start();
