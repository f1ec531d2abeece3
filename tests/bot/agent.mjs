// An agent of the Agents SDK that passes what its user says on to another agent, citewire, as skills are called; and what both
// stand on: Entra ID with a key of its own, and the channel of the user. All tokens are RS256, and both sides check them.
//
// It listens on free ports of 127.0.0.1, by http and for the other agent by https, and is driven by lines of JSON on stdin; its
// settings are the first argument. Each command is answered by one line of JSON on stdout; the first line is
// { "url", "certificate" }, the certificate as PEM. The end of stdin ends the process.
//
//   { "do": "say", "endpoint", "activity", "conversationType" }     the user says this to the agent, which delegates it
//       { "status" }
//   { "do": "expectReplies", … the same }                           the agent asks by itself
//       { "status", "activities" } or { "status", "body" }
//   { "do": "wait" }                                                waits until the other agent has ended its turn
//       { "received": what the other agent has posted, "forwarded": what has reached the user, "ended": { "code", … } }

import { createSign, createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createInterface } from "node:readline";
import {
  ActivityHandler,
  AgentClient,
  CloudAdapter,
  ConversationState,
  MemoryStorage,
  MsalTokenProvider,
  createAgentResponseHandler,
} from "@microsoft/agents-hosting";
import { Activity } from "@microsoft/agents-activity";
import { certificate } from "./certificate.mjs";

const settings = JSON.parse(process.argv[2]);
const { tenant, agent, citewire } = settings;

// Entra ID -----------------------------------------------------------------------------------------------------------------

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = { ...createPublicKey(privateKey).export({ format: "jwk" }), kid: "test-key", use: "sig", alg: "RS256" };
const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token as Entra ID gives to an app that shows its secret: for `audience`, from `client`. */
function token(client, audience) {
  const now = Math.floor(Date.now() / 1000);
  const header = encode({ alg: "RS256", typ: "JWT", kid: key.kid });
  const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
  const claims = { iss: issuer, aud: audience, azp: client, tid: tenant, ver: "2.0", nbf: now - 60, iat: now, exp: now + 3600 };
  const signed = `${header}.${encode(claims)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
}

/** What the token endpoint says to a form. */
function grant(form) {
  const [client, secret] = [form.get("client_id"), form.get("client_secret")];
  const known = [agent, citewire].find((app) => app.id === client && app.secret === secret);
  const scope = form.get("scope") ?? "";
  if (!known || form.get("grant_type") !== "client_credentials" || !scope.endsWith("/.default")) {
    return [400, { error: "invalid_client" }];
  }
  return [200, { token_type: "Bearer", expires_in: 3600, access_token: token(client, scope.slice(0, -"/.default".length)) }];
}

// The SDK's library for tokens speaks to Microsoft over TLS alone; everything else of the SDK is as it is.
MsalTokenProvider.prototype.getAccessToken = async function (first, second) {
  const scope = second ?? first;
  const form = { grant_type: "client_credentials", client_id: agent.id, client_secret: agent.secret, scope: `${scope}/.default` };
  const response = await fetch(`${url}/${tenant}/oauth2/v2.0/token`, { method: "POST", body: new URLSearchParams(form) });
  return (await response.json()).access_token;
};

// The agent ----------------------------------------------------------------------------------------------------------------

/** What the other agent posted, what reached the user, and how the turn ended. */
let received, forwarded, ended, finish, finished;
function begin() {
  [received, forwarded, ended] = [[], [], undefined];
  finished = new Promise((resolve) => (finish = resolve));
}
begin();

function listen() {
  const adapter = new CloudAdapter({
    clientId: agent.id,
    clientSecret: agent.secret,
    tenantId: tenant,
    authorityEndpoint: url,
    validateIssuer: true,
    issuers: [`https://login.microsoftonline.com/${tenant}/v2.0`],
  });
  const state = new ConversationState(new MemoryStorage());
  const handler = new ActivityHandler();
  handler.onMessage(async (context, next) => {
    const status = await new AgentClient("other").postActivity(context.activity, adapter.authConfig, state, context);
    tell({ status });
    await next();
  });
  handler.onEndOfConversation(async (context, next) => {
    const { code, value, text } = context.activity;
    ended = { code, value, text };
    finish();
    await next();
  });
  adapter.onTurnError = async (_, error) => tell({ error: String(error) });
  const respond = createAgentResponseHandler(adapter, handler, state);
  return { adapter, handler, respond };
}

// The server ---------------------------------------------------------------------------------------------------------------

// What Express does for a bot: the body, `status` and `send`.
function dress(response) {
  response.status = (code) => {
    response.statusCode = code;
    return response;
  };
  response.send = (body) => {
    response.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
    return response;
  };
  return response;
}

const RESPONSE = /^\/api\/agentresponse\/v3\/conversations\/([^/]+)\/activities\/([^/]+)$/;
const CHANNEL = /^\/channel\/v3\/conversations\/[^/]+\/activities/;

async function serve(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const path = new URL(request.url, url).pathname;
  dress(response);
  if (path.endsWith("/openid-configuration") || path.endsWith("/openidconfiguration")) {
    const metadata = { jwks_uri: `${url}/${tenant}/discovery/v2.0/keys`, id_token_signing_alg_values_supported: ["RS256"] };
    response.send({ issuer: "https://api.botframework.com", ...metadata });
  } else if (path.endsWith("/keys")) {
    response.send({ keys: [key] });
  } else if (path.endsWith("/oauth2/v2.0/token")) {
    const [status, body] = grant(new URLSearchParams(text));
    response.status(status).send(body);
  } else if (path === "/api/messages") {
    request.body = JSON.parse(text);
    await parts.adapter.authorizeRequest(request, response, () => {});
    if (!response.writableEnded) await parts.adapter.process(request, response, (context) => parts.handler.run(context));
  } else if (RESPONSE.test(path)) {
    const [, conversationId, activityId] = RESPONSE.exec(path).map(decodeURIComponent);
    request.body = JSON.parse(text);
    received.push(JSON.parse(text));
    await parts.respond(request, response, { conversationId, activityId });
  } else if (CHANNEL.test(path)) {
    forwarded.push(JSON.parse(text));
    response.send({ id: `told-${forwarded.length}` });
  } else {
    response.status(404).send({ path });
  }
}

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
function handle(request, response) {
  serve(request, response).catch((error) => {
    tell({ error: String(error?.stack ?? error) });
    if (!response.writableEnded) response.status(500).send({ error: String(error) });
  });
}
const open = (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
const credentials = certificate();
const url = `http://127.0.0.1:${await open(createServer(handle))}`;
const responses = `https://127.0.0.1:${await open(createSecureServer(credentials, handle))}/api/agentresponse/`;
const parts = listen();

// The commands -------------------------------------------------------------------------------------------------------------

const post = (endpoint, bearer, body) =>
  fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", ...(bearer && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(body),
  });

/** What a user's channel adds to what is said. */
const sent = ({ activity, conversationType }, serviceUrl) =>
  Activity.fromObject({
    type: "message",
    id: "question-of-the-user",
    from: { id: "user", name: "Ann" },
    recipient: { id: "agent", name: "Agent" },
    conversation: { id: `conversation-${randomUUID()}`, ...(conversationType && { conversationType }) },
    serviceUrl,
    locale: "en-US",
    ...activity,
  });

const commands = {
  async say({ endpoint, ...question }) {
    begin();
    Object.assign(process.env, {
      other_endpoint: endpoint,
      other_clientId: citewire.id,
      other_serviceUrl: responses,
    });
    const response = await post(`${url}/api/messages`, token(randomUUID(), agent.id), sent(question, `${url}/channel/`));
    if (response.status !== 200) tell({ error: `the agent answered ${response.status}: ${await response.text()}` });
  },
  async expectReplies({ endpoint, ...question }) {
    const bearer = await new MsalTokenProvider().getAccessToken(citewire.id);
    const body = Object.assign(sent(question, responses), { deliveryMode: "expectReplies" });
    const response = await post(endpoint, bearer, body);
    const text = await response.text();
    if (response.status !== 200) return tell({ status: response.status, body: text });
    // The schema of the SDK reads each of them, or throws.
    const activities = JSON.parse(text).activities.map((each) => Activity.fromObject(each));
    tell({ status: response.status, activities });
  },
  async wait() {
    await finished;
    tell({ received, forwarded, ended });
  },
};

tell({ url, certificate: credentials.cert });
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  await commands[command.do](command).catch((error) => tell({ error: String(error?.stack ?? error) }));
}
process.exit(0);
