// The browser's storage. Where it fails, blocked or full, texts are kept as long as the page.

const kept = new Map();
let fails = false;

/** Whether texts will be lost with the page. */
export const isLossy = () => fails;

/** The text that is stored under a name, or null. */
export function load(name) {
  if (fails && kept.has(name)) return kept.get(name);
  try {
    return localStorage.getItem(name);
  } catch {
    fails = true;
    return kept.get(name) ?? null;
  }
}

/** Store a text; null removes it. */
export function store(name, text) {
  kept.set(name, text);
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    fails = true;
  }
}
