// Watching the agent play a word of the server.

import { Board, count } from "./board.js";
import { ask, Refusal } from "./api.js";

const byId = (id) => document.getElementById(id);

/** Set up the panel; returns what is called when it is shown. `server` says what the server offers. */
export function setUpWatch(report, server) {
  const board = new Board(byId("watch-board"));
  let played = null;
  // A turn has two halves: what the agent thinks, and what its letter uncovers.
  let half = 0;
  let timer = null;
  let asked = 0;

  /** The game after some of the agent's guesses. */
  function stateAfter(turns) {
    const guessed = played.turns.slice(0, turns).map((turn) => turn.letter);
    const wrong = guessed.filter((letter) => !played.secret.includes(letter)).join("");
    const word = [...played.secret].map((letter) => (guessed.includes(letter) ? letter : "_")).join("");
    return { word, wrong, tries: server.max_wrong - wrong.length, maxWrong: server.max_wrong };
  }

  function showHalf() {
    const number = half >> 1;
    const { letter, probabilities } = played.turns[number];
    const [before, after] = [stateAfter(number), stateAfter(number + 1)];
    const last = half === 2 * played.turns.length - 1;
    const won = after.word === played.secret;
    if (half % 2 === 0) {
      board.show({ ...before, over: false, secret: null });
      board.showProbabilities(probabilities, letter);
      board.say(`${server.agent} guesses ${letter}.`);
    } else {
      board.show({ ...after, over: last, won, secret: last ? played.secret : null });
      board.flash(letter);
      board.say(`${letter} is ${after.word !== before.word ? "" : "not "}in the word.`);
    }
    half += 1;
    if (!last) return;
    stop();
    const result = `after ${count(played.turns.length, "guess", "guesses")}`;
    board.say(won ? `${server.agent} found ${played.secret} ${result}.` : `${server.agent} lost ${result}: it did not find ${played.secret}.`, won ? "won" : "lost");
    canGoOn(false);
  }

  function canGoOn(can) {
    byId("step").ariaDisabled = byId("pause").ariaDisabled = !can;
  }

  function stop() {
    clearTimeout(timer);
    timer = null;
    byId("pause").textContent = "Go on";
  }

  function goOn() {
    byId("pause").textContent = "Pause";
    timer = setTimeout(() => {
      showHalf();
      if (timer !== null) goOn();
    }, Number(byId("speed").value));
  }

  async function watch() {
    const number = (asked += 1);
    const game = await ask("POST", "agent-games");
    // Another word may have been asked for meanwhile.
    if (number !== asked) return;
    clearTimeout(timer);
    timer = null;
    played = game;
    half = 0;
    byId("watch-board").hidden = false;
    canGoOn(true);
    board.flash(null);
    showHalf();
    goOn();
  }

  byId("watch-new").addEventListener("click", async () => {
    try {
      report("");
      await watch();
    } catch (error) {
      report(error instanceof Refusal ? error.message : String(error));
    }
  });
  const isOver = () => byId("step").ariaDisabled === "true";
  byId("pause").addEventListener("click", () => isOver() || (timer === null ? goOn() : stop()));
  byId("step").addEventListener("click", () => {
    if (isOver()) return;
    stop();
    showHalf();
  });
  if (server.agent === null) {
    byId("no-agent").hidden = false;
    for (const id of ["watch-actions", "watch-note"]) byId(id).hidden = true;
  }

  /** Begin at once, for those who come to see what this is. */
  return () => {
    if (played || server.agent === null) return;
    byId("watch-new").click();
  };
}
