// Playing a word.

import { Board } from "./board.js";
import { ask, forgetOwnToken, ownToken, Refusal, setOwnToken } from "./api.js";

const CURRENT = "hangman-game";
const byId = (id) => document.getElementById(id);

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
    byId("hint").disabled = over || server.agent === null;
    byId("resign").disabled = over;
    byId("new-game").disabled = !over && game.recorded;
    byId("play-note").textContent = game.recorded ? "A recorded game: it counts on the leaderboard." : "";
  }

  function tellEnd() {
    if (game.status === "success") board.say(`You won: the word is ${game.secret}.`, "won");
    else if (game.status === "failed") board.say(`${game.resigned ? "Given up" : "Lost"}: the word was ${game.secret}.`, "lost");
  }

  async function newGame() {
    // A guest may have a few open games only.
    if (game?.status === "ongoing" && !game.recorded) await ask("POST", `games/${game.game_id}/resignation`).catch(() => {});
    const recorded = byId("recorded").checked;
    show(await ask("POST", "games", { recorded }));
    board.flash(null);
    board.say(`A word of ${game.word.length} letters.`);
  }

  async function guess(letter) {
    if (!game || game.status !== "ongoing" || game.guesses.includes(letter)) return;
    const before = game.word;
    show(await ask("POST", `games/${game.game_id}/guesses`, { letter }));
    board.flash(letter);
    const places = [...game.word].filter((shown, place) => shown === letter && before[place] === "_").length;
    const tries = `${game.tries_remains} ${game.tries_remains === 1 ? "try" : "tries"} left`;
    board.say(places ? `${letter} is in the word, ${places} ${places === 1 ? "time" : "times"}.` : `${letter} is not in the word, ${tries}.`);
    tellEnd();
  }

  async function hint() {
    const { agent, letter, probabilities } = await ask("POST", "hints", { pattern: game.word, wrong: game.wrong });
    board.showProbabilities(probabilities, letter);
    board.say(`${agent} would guess ${letter}.`);
  }

  async function resign() {
    show(await ask("POST", `games/${game.game_id}/resignation`));
    board.flash(null);
    tellEnd();
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
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run(useToken);
  });
  byId("forget-token").addEventListener("click", () => {
    forgetOwnToken();
    showToken();
    run(newGame);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || byId("play").hidden) return;
    if (/^[a-z]$/i.test(event.key)) run(() => guess(event.key.toLowerCase()));
  });

  showToken();
  run(async () => {
    const last = localStorage.getItem(CURRENT);
    const open = last && (await ask("GET", `games/${last}`).catch(() => null));
    if (open?.status !== "ongoing") return newGame();
    show(open);
    board.say("Your game goes on.");
  });
}
