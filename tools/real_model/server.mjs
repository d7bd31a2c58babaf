// A small language model behind the chat-completion protocol: node server.mjs MODEL.gguf
// Prints its base URL when it listens, answers one question at a time, and ends with its standard input.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages are in the folder in which it is started, not next to this file.
const packages = createRequire(`${process.cwd()}/package.json`);
const { getLlama, LlamaChatSession } = await import(pathToFileURL(packages.resolve("node-llama-cpp")));

const CONTEXT = 8192; // what the model was trained for
// A model of this size seldom ends a text or a list by itself: its grammar does, so that replies end before max_tokens.
const CHARACTERS = 200;
const ITEMS = 2;
const KNOWN = ["model", "messages", "max_tokens", "response_format", "temperature", "top_p", "frequency_penalty", "seed"];

class BadRequest extends Error {}

// The schema of a reply in the engine's dialect, which knows neither bounds of numbers nor patterns: whether those are
// kept is for the client to see.
function dialect(schema) {
  if (schema.$ref) return { $ref: schema.$ref };
  if (schema.enum) return { enum: schema.enum };
  if (schema.const !== undefined) return { const: schema.const };
  const named = (schemas) => Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, dialect(one)]));
  const $defs = named(schema.$defs ?? {});
  if (schema.anyOf) return { $defs, oneOf: schema.anyOf.map(dialect) };
  if (schema.type === "object") return { $defs, type: "object", properties: named(schema.properties) };
  if (schema.type === "array") return { type: "array", items: dialect(schema.items), maxItems: ITEMS };
  if (schema.type === "string") return { type: "string", maxLength: CHARACTERS };
  return { type: schema.type };
}

const llama = await getLlama({ gpu: false, build: "never", skipDownload: true, logLevel: "error", progressLogs: false });
const model = await llama.loadModel({ modelPath: process.argv[2] });
// With two threads on two busy cores, each token waits for a scheduler: measured at a hundredth of the speed.
const context = await model.createContext({ contextSize: CONTEXT, threads: 1 });
const sequence = context.getSequence();

async function answer(request) {
  const unknown = Object.keys(request).find((name) => !KNOWN.includes(name));
  if (unknown) throw new BadRequest(`${unknown} is not supported`);
  const [system, user, ...more] = request.messages ?? [];
  if (system?.role !== "system" || user?.role !== "user" || more.length)
    throw new BadRequest("expected a system message and a user message");
  const format = request.response_format;
  const grammar = format && (await llama.createGrammarForJsonSchema(dialect(format.json_schema.schema)));
  const longest = request.max_tokens ?? 256;
  const sent = model.tokenize(system.content + user.content).length;
  if (sent + longest > CONTEXT - 64) throw new BadRequest(`${sent} tokens and a reply of ${longest} do not fit ${CONTEXT}`);
  await sequence.clearHistory(); // nothing is reused, so that everything is counted
  const before = sequence.tokenMeter.getState();
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: system.content });
  const said = await session.promptWithMeta(user.content, {
    grammar,
    maxTokens: longest,
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? 1,
    seed: request.seed,
    repeatPenalty: request.frequency_penalty && { frequencyPenalty: request.frequency_penalty, lastTokens: longest },
  });
  session.dispose({ disposeSequence: false });
  const used = sequence.tokenMeter.diff(before);
  return {
    object: "chat.completion",
    model: request.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: said.responseText },
        finish_reason: said.stopReason === "maxTokens" ? "length" : "stop",
      },
    ],
    usage: {
      prompt_tokens: used.usedInputTokens,
      completion_tokens: used.usedOutputTokens,
      total_tokens: used.usedInputTokens + used.usedOutputTokens,
    },
  };
}

let last = Promise.resolve(); // the model has one conversation at a time
let answered = 0;

const server = createServer(async (request, response) => {
  const send = (status, document) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(document));
  const parts = [];
  for await (const part of request) parts.push(part);
  if (request.url === "/v1/answered") return send(200, answered);
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") return send(404, { error: { message: "not found" } });
  last = last.then(async () => {
    try {
      const reply = await answer(JSON.parse(Buffer.concat(parts)));
      answered += 1;
      send(200, reply);
    } catch (error) {
      const bad = error instanceof BadRequest || error instanceof SyntaxError;
      if (!bad) console.error(error);
      send(bad ? 400 : 500, { error: { message: error.message } });
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
process.stdin.resume().once("end", () => process.exit());
