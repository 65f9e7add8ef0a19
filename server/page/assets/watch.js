// Games of the agent.

import { Board, count } from "./board.js";
import { ask, Refusal } from "./api.js";

const byId = (id) => document.getElementById(id);

/** Set up the panel; returns a function to call when it is shown. `server` is the answer of /server. */
export function setUpWatch(report, server) {
  const board = new Board(byId("watch-board"));
  let played = null;
  // A turn has two halves: the letter probabilities, and what the letter uncovers.
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
    setResumable(false);
  }

  function setResumable(can) {
    byId("step").ariaDisabled = byId("pause").ariaDisabled = !can;
  }

  function stop() {
    clearTimeout(timer);
    timer = null;
    byId("pause").textContent = "Resume";
  }

  function resume() {
    byId("pause").textContent = "Pause";
    timer = setTimeout(() => {
      showHalf();
      if (timer !== null) resume();
    }, Number(byId("speed").value));
  }

  async function watch() {
    const number = (asked += 1);
    const game = await ask("POST", "agent-games");
    // A newer request replaces this one.
    if (number !== asked) return;
    clearTimeout(timer);
    timer = null;
    played = game;
    half = 0;
    byId("watch-board").hidden = false;
    setResumable(true);
    board.flash(null);
    showHalf();
    resume();
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
  byId("pause").addEventListener("click", () => isOver() || (timer === null ? resume() : stop()));
  byId("step").addEventListener("click", () => {
    if (isOver()) return;
    stop();
    showHalf();
  });
  if (server.agent === null) {
    byId("no-agent").hidden = false;
    for (const id of ["watch-actions", "watch-note"]) byId(id).hidden = true;
  }

  /** Start the first game without a click. */
  return () => {
    if (played || server.agent === null) return;
    byId("watch-new").click();
  };
}
