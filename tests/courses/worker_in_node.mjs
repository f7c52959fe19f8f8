// The worker of a practice page in node: reads {"site": …, "works": […]} and prints the answers.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { site, works } = JSON.parse(fs.readFileSync(0, "utf8"));
const answers = [];
globalThis.onmessage = null;
globalThis.postMessage = (message) => {
  if (message.kind !== "begins") answers.push(message);
};
globalThis.fetch = async (address) => new Response(fs.readFileSync(new URL(address)));

await import(pathToFileURL(`${site}/worker.mjs`));
await globalThis.onmessage({ data: { kind: "open", settings: fs.readFileSync(`${site}/settings.json`, "utf8") } });
for (const text of works) await globalThis.onmessage({ data: { kind: "check", text, format: "tex" } });
process.stdout.write(JSON.stringify(answers));
