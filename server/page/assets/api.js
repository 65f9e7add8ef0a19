// Requests to the server: who asks, and asking again where no answer came.

const GUEST = "hangman-guest";
const OWN = "hangman-token";
const ATTEMPTS = 4;

/** An answer that says why something cannot be done. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const ownToken = () => localStorage.getItem(OWN);
export const setOwnToken = (token) => localStorage.setItem(OWN, token);
export const forgetOwnToken = () => localStorage.removeItem(OWN);

/** Ask without a token. */
export const getOpen = (path) => send("GET", path, undefined, null);

/** Ask as the player; guests are made when they are needed. */
export async function ask(method, path, body) {
  const own = ownToken();
  if (own) return send(method, path, body, own);
  const guest = localStorage.getItem(GUEST) ?? (await makeGuest());
  try {
    return await send(method, path, body, guest);
  } catch (error) {
    // A guest that was away for long may have been forgotten.
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    return send(method, path, body, await makeGuest());
  }
}

async function makeGuest() {
  const { token } = await send("POST", "guests", undefined, null);
  localStorage.setItem(GUEST, token);
  return token;
}

async function send(method, path, body, token) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  // The same key each time: a request that is repeated is answered as before.
  if (method === "POST") headers["Idempotency-Key"] = randomKey();
  for (let attempt = 1; ; attempt++) {
    let response;
    try {
      response = await fetch(`/api/v1/${path}`, { method, headers, body: body && JSON.stringify(body) });
    } catch {
      if (attempt === ATTEMPTS) throw new Refusal(0, "The server does not answer. Try again in a moment.");
    }
    if (response?.ok) return response.json();
    if (response && (response.status !== 503 || attempt === ATTEMPTS)) {
      const answer = await response.json().catch(() => ({}));
      throw new Refusal(response.status, answer.error ?? `The server answers with status ${response.status}.`);
    }
    await new Promise((resume) => setTimeout(resume, 400 * 2 ** attempt));
  }
}

function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
