// Requests to the server: tokens, and retries when it is busy or gone.

import { load, store } from "./storage.js";

const GUEST = "hangman-guest";
const OWN = "hangman-token";
const ATTEMPTS = 4;
const PATIENCE = 800;
const LONGEST = 20_000;
const TOKEN = /^[\w-]+$/;
const GONE = "The server does not answer.";
let tell = () => {};

/** A refused request. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A stored token, or null if it is missing or invalid. */
const stored = (name) => TOKEN.exec(load(name) ?? "")?.[0] ?? null;
export const ownToken = () => stored(OWN);
/** Use a token; null forgets it. */
export const setOwnToken = (token) => store(OWN, token);

/** Call `callback` with the problem while a request is retried, and with "" when it is answered. */
export const onTrouble = (callback) => (tell = callback);

/** Ask without a token. */
export const getOpen = (path) => send("GET", path, undefined, null);

/** Ask as the player, by default a guest, who is created at the first request. */
export async function ask(method, path, body) {
  const own = ownToken();
  if (own) return send(method, path, body, own);
  const guest = stored(GUEST) ?? (await makeGuest());
  try {
    return await send(method, path, body, guest);
  } catch (error) {
    // The guest may have been evicted.
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    return send(method, path, body, await makeGuest());
  }
}

async function makeGuest() {
  const { token } = await send("POST", "guests", undefined, null);
  store(GUEST, token);
  return token;
}

async function send(method, path, body, token) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  // The same key in all retries, so that they begin one game.
  if (path === "games") headers["Idempotency-Key"] = randomKey();
  const late = setTimeout(() => tell("Waiting for the server."), PATIENCE);
  try {
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.timeout(LONGEST);
      const response = await fetch(`api/v1/${path}`, { method, headers, body: body && JSON.stringify(body), signal }).catch(() => null);
      if (response?.ok) {
        const answer = await response.json();
        tell("");
        return answer;
      }
      const { error } = (await response?.json().catch(() => null)) ?? {};
      const message = error ?? (response ? `The server answers with status ${response.status}.` : GONE);
      const isBusy = response?.status === 503 || response?.status === 429;
      // New guests retry without end: many visitors of a network may come at once.
      const isLast = attempt >= ATTEMPTS && path !== "guests";
      if ((response && !isBusy) || isLast) throw new Refusal(response?.status ?? 0, message);
      clearTimeout(late);
      const pause = Math.max(1000 * (Number(response?.headers.get("Retry-After")) || 0), 400 * 2 ** Math.min(attempt, ATTEMPTS));
      tell(`${message[0].toUpperCase()}${message.slice(1)}. Trying again in ${Math.ceil(pause / 1000)} s.`.replace("..", "."));
      await new Promise((resume) => setTimeout(resume, pause));
    }
  } finally {
    clearTimeout(late);
  }
}

function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
