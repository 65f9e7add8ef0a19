// Playing a word.

import { Board } from "./board.js";
import { ask, forgetOwnToken, ownToken, Refusal, setOwnToken } from "./api.js";

const CURRENT = "hangman-game";
const STREAK = "hangman-streak";
const MOST_LISTED = 20;
const byId = (id) => document.getElementById(id);
const readStreak = () => JSON.parse(localStorage.getItem(STREAK)) ?? { now: 0, best: 0 };

/** Set up the panel; `report` shows what went wrong, `server` says what the server offers. */
export function setUpPlay(report, server) {
  const board = new Board(byId("play-board"), (letter) => run(() => guess(letter)));
  let game = null;
  let waiting = 0;
  let last = Promise.resolve();

  /** One action after the other, so that fast typing loses nothing and overtakes nothing. */
  function run(action) {
    waiting += 1;
    byId("play").setAttribute("aria-busy", "true");
    last = last.then(async () => {
      try {
        report("");
        await action();
      } catch (error) {
        report(error instanceof Refusal ? error.message : String(error));
      }
      waiting -= 1;
      if (waiting === 0) byId("play").removeAttribute("aria-busy");
    });
  }

  function show(next) {
    game = next;
    localStorage.setItem(CURRENT, game.game_id);
    const over = game.status !== "ongoing";
    board.show({
      word: game.word, wrong: game.wrong, tries: game.tries_remains, maxWrong: server.max_wrong, over,
      secret: game.secret,
    });
    const noHints = server.agent === null || (game.recorded && server.recorded_hints === "off");
    byId("hint").ariaDisabled = over || noHints;
    byId("resign").ariaDisabled = over;
    byId("share").hidden = !over;
    byId("shared").hidden = true;
    byId("new-game").className = over ? "main" : "quiet";
    const marked = game.hinted ? ", marked as one with a hint" : server.recorded_hints === "off" ? ", without hints" : "";
    const recorded = game.recorded ? `A recorded game: it counts on the leaderboard${marked}. ` : "";
    byId("play-note").textContent = recorded + (over ? "Enter begins the next word." : "Type a letter, or press one.");
  }

  /** Ask before what cannot be undone; resolves to whether to do it. */
  function sure(question, yes) {
    const dialog = byId("sure");
    byId("sure-question").textContent = question;
    byId("sure-yes").textContent = yes;
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    });
  }

  function tellEnd() {
    const secret = game.secret ? `: the word ${game.status === "success" ? "is" : "was"} ${game.secret}` : "";
    if (game.status === "success") board.say(`You won${secret}.`, "won");
    else if (game.status === "failed") board.say(`${game.resigned ? "Given up" : "Lost"}${secret}.`, "lost");
  }

  async function end() {
    tellEnd();
    const streak = game.status === "success" ? readStreak().now + 1 : 0;
    localStorage.setItem(STREAK, JSON.stringify({ now: streak, best: Math.max(streak, readStreak().best) }));
    await showFigures();
  }

  async function showFigures() {
    const player = await ask("GET", "player");
    const { now, best } = readStreak();
    const figures = [];
    if (best) figures.push(`In a row: ${now}, at most ${best}`);
    if (player.practice_runs > 1 || best) figures.push(`practice words won: ${player.practice_successes} of ${player.practice_runs}`);
    if (player.recorded_runs) figures.push(`recorded words won: ${player.recorded_successes} of ${player.recorded_runs}`);
    byId("figures").textContent = figures.join(" · ");
    const open = player.open_games - (game?.status === "ongoing" ? 1 : 0);
    byId("open-games").hidden = open === 0;
    byId("open-games").querySelector("summary").textContent = `${open} open ${open === 1 ? "game" : "games"}`;
    if (byId("open-games").open) await listOpen();
  }

  async function listOpen() {
    const { game_ids: ids } = await ask("GET", `games?limit=${MOST_LISTED + 1}`);
    const others = ids.filter((id) => id !== game?.game_id).slice(0, MOST_LISTED);
    const games = await Promise.all(others.map((id) => ask("GET", `games/${id}`)));
    byId("open-list").replaceChildren(
      ...games.map((open) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.className = "link";
        button.textContent = `Go on with ${[...open.word].join(" ")}${open.recorded ? " (recorded)" : ""}`;
        button.addEventListener("click", () => run(() => goOn(open.game_id)));
        item.append(button);
        return item;
      }),
    );
  }

  async function goOn(id) {
    show(await ask("GET", `games/${id}`));
    board.flash(null);
    board.say("Your game goes on.");
    byId("open-games").querySelector("summary").focus();
    await showFigures();
  }

  async function newGame() {
    const recorded = byId("recorded").checked;
    show(await ask("POST", "games", { recorded }));
    board.flash(null);
    board.say(`A word of ${game.word.length} ${game.word.length === 1 ? "letter" : "letters"}.`);
    await showFigures();
  }

  async function guess(letter) {
    if (!game || game.status !== "ongoing" || game.guesses.includes(letter)) return;
    const before = game.word;
    show(await ask("POST", `games/${game.game_id}/guesses`, { letter }));
    board.flash(letter);
    const places = [...game.word].filter((shown, place) => shown === letter && before[place] === "_").length;
    const tries = `${game.tries_remains} ${game.tries_remains === 1 ? "try" : "tries"} left`;
    board.say(places ? `${letter} is in the word, ${places} ${places === 1 ? "time" : "times"}.` : `${letter} is not in the word, ${tries}.`);
    if (game.status !== "ongoing") await end();
  }

  async function hint() {
    if (byId("hint").ariaDisabled === "true") return;
    if (game.recorded && !game.hinted && !(await sure("A hint marks this game on the leaderboard.", "Take the hint"))) return;
    board.say(`${server.agent} is thinking.`);
    const { agent, letter, probabilities } = await ask("POST", "hints", { game_id: game.game_id }).catch((error) => {
      board.say("");
      throw error;
    });
    if (game.recorded) show({ ...game, hinted: true });
    board.showProbabilities(probabilities, letter);
    board.say(`${agent} would guess ${letter}.`);
  }

  async function resign() {
    if (byId("resign").ariaDisabled === "true") return;
    if (!(await sure("Give this word up?", "Give up"))) return;
    show(await ask("POST", `games/${game.game_id}/resignation`));
    board.flash(null);
    await end();
  }

  /** Copy the result as text, which tells nothing of the word but its length. */
  async function share() {
    const marks = [...game.guesses].map((letter) => (game.wrong.includes(letter) ? "\u{1F7E5}" : "\u{1F7E9}"));
    const wrong = `${game.wrong.length} wrong ${game.wrong.length === 1 ? "guess" : "guesses"}`;
    const result = game.status === "success" ? "won" : game.resigned ? "given up" : "lost";
    const text = `Hangman Lab: a word of ${game.word.length} letters, ${result} with ${wrong}${game.hinted ? " and a hint" : ""}\n${marks.join("")}\n${location.origin}/`;
    // Without HTTPS a browser may not let pages copy; then the text is there to be copied.
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    if (copied) return board.say("The result is copied.");
    byId("shared").hidden = false;
    byId("shared").value = text;
    byId("shared").select();
  }

  function showToken() {
    const own = ownToken() !== null;
    byId("token").value = "";
    byId("token").placeholder = own ? "in use" : "";
    byId("recorded").disabled = !own;
    if (!own) byId("recorded").checked = false;
    byId("forget-token").hidden = !own;
  }

  async function useToken() {
    const token = byId("token").value.trim();
    if (!token) return;
    const before = ownToken();
    setOwnToken(token);
    try {
      const player = await ask("GET", "player");
      localStorage.removeItem(STREAK);
      showToken();
      await newGame();
      board.say(`Welcome, ${player.name}: ${player.recorded_runs} of ${server.recorded_runs} recorded games used.`);
    } catch (error) {
      if (before === null) forgetOwnToken();
      else setOwnToken(before);
      throw error;
    }
  }

  byId("new-game").addEventListener("click", () => run(newGame));
  byId("hint").addEventListener("click", () => run(hint));
  byId("resign").addEventListener("click", () => run(resign));
  byId("share").addEventListener("click", () => run(share));
  byId("open-games").addEventListener("toggle", () => byId("open-games").open && run(listOpen));
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run(useToken);
  });
  byId("forget-token").addEventListener("click", () => {
    forgetOwnToken();
    localStorage.removeItem(STREAK);
    showToken();
    run(newGame);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || byId("play").hidden) return;
    if (/^[a-z]$/i.test(event.key)) run(() => guess(event.key.toLowerCase()));
    // A button that has the focus is what Enter means, unless it is a letter that was guessed.
    const pressed = event.target.closest("button, a, summary");
    const idle = !pressed || pressed.ariaDisabled === "true";
    if (event.key === "Enter" && idle && game && game.status !== "ongoing") {
      event.preventDefault();
      run(newGame);
    }
  });

  showToken();
  run(async () => {
    const last = localStorage.getItem(CURRENT);
    const open = last && (await ask("GET", `games/${last}`).catch(() => null));
    if (open?.status !== "ongoing") return newGame();
    show(open);
    board.say("Your game goes on.");
    await showFigures();
  });
}
