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

  const state = (turn) => ({ wrong: turn.wrong, word: turn.word, tries: turn.tries_remains });

  function showHalf() {
    const turn = played.turns[half >> 1];
    const before = half >> 1 ? state(played.turns[(half >> 1) - 1]) : played.beginning;
    const last = half === 2 * played.turns.length - 1;
    if (half % 2 === 0) {
      board.show({ ...before, maxWrong: server.max_wrong, over: false, secret: null });
      board.showProbabilities(turn.probabilities, turn.letter);
      board.say(`${server.agent} guesses ${turn.letter}.`);
    } else {
      board.show({ ...state(turn), maxWrong: server.max_wrong, over: last, won: played.status === "success", secret: last ? played.secret : null });
      board.flash(turn.letter);
      const hit = turn.word !== before.word;
      board.say(`${turn.letter} is ${hit ? "" : "not "}in the word.`);
    }
    half += 1;
    if (!last) return;
    stop();
    const won = played.status === "success";
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
    const answer = await ask("POST", "agent-games");
    // Another word may have been asked for meanwhile.
    if (number !== asked) return;
    clearTimeout(timer);
    timer = null;
    played = { ...answer, beginning: { word: "_".repeat(answer.secret.length), wrong: "", tries: server.max_wrong } };
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
