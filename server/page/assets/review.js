// The review of a game: what each guess was worth.

const byId = (id) => document.getElementById(id);

/** A probability in per cent; only what is certain is 0% or 100%. */
function percent(share) {
  if (share > 0 && share < 0.005) return "<1%";
  return share < 1 && share >= 0.995 ? ">99%" : `${Math.round(100 * share)}%`;
}

function makeRow(name, letter, share, bar) {
  const row = document.createElement("span");
  row.innerHTML = `<span>${name}</span> <b translate="no">${letter}</b> <span class="track" aria-hidden="true"><i class="${bar}"></i></span> <span class="number"></span>`;
  row.querySelector("i").style.width = `${100 * share}%`;
  row.lastChild.textContent = percent(share);
  return row;
}

function makeItem(guess, isHit) {
  const item = document.createElement("li");
  const shown = [...guess.shown].map((letter) => (letter === "_" ? "blank" : letter)).join(", ");
  item.innerHTML = `<span class="top"><span class="pattern" translate="no" role="img" aria-label="${shown}">${guess.shown}</span> <b></b></span>`;
  item.querySelector("b").textContent = isHit ? "\u2713 hit" : "\u2717 miss";
  item.className = isHit ? "hit" : "miss";
  item.append(makeRow("you", guess.letter, guess.probability, "own"), makeRow("best", guess.best_letter, guess.best_probability, "best"));
  if (guess.dominated) item.append("No listed word has yours.");
  return item;
}

/** Show a review; `wrong` are the letters that were not in the word. */
export function showReview(guesses, wrong, agent) {
  const mean = (name) => percent(guesses.reduce((sum, guess) => sum + guess[name], 0) / guesses.length);
  byId("review-summary").textContent =
    `On average, your letters were in the word with a probability of ${mean("probability")}; ${agent}'s would have been with ${mean("agent_probability")}.`;
  byId("guesses").replaceChildren(...guesses.map((guess) => makeItem(guess, !wrong.includes(guess.letter))));
  byId("reviewed").showModal();
}
