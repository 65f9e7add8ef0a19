// The board of a game: the gallows, the word, the letters with their bars.

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/** Return a number with its noun. */
export const count = (number, one, more = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;

export class Board {
  /** Fill `element`; `onLetter` is called with the chosen letter; without it, the board is for display. */
  constructor(element, onLetter) {
    element.append(document.getElementById("board").content.cloneNode(true));
    const find = (selector) => element.querySelector(selector);
    this.element = element;
    this.title = find("title");
    this.parts = [...find(".figure").children];
    this.word = find(".word");
    this.said = find(".said");
    this.tries = find(".tries");
    this.outcome = find(".outcome");
    this.keys = new Map();
    for (const letters of ROWS) {
      const row = document.createElement("div");
      row.className = "row";
      row.append(...[...letters].map((letter) => this.#makeKey(letter, onLetter)));
      find(".keys").append(row);
    }
  }

  #makeKey(letter, onLetter) {
    const key = document.createElement(onLetter ? "button" : "div");
    key.className = "key";
    key.dataset.letter = letter;
    key.innerHTML = `<i class="bar"></i><span class="letter">${letter}</span><span class="percent"></span>`;
    if (onLetter) {
      key.ariaDisabled = true;
      key.addEventListener("click", () => key.ariaDisabled === "true" || onLetter(letter));
    } else key.setAttribute("role", "img");
    this.keys.set(letter, key);
    return key;
  }

  /** Show a game, with its secret if it is known. */
  show({ word, wrong, tries, maxWrong, over, won, secret }) {
    const hanged = Math.ceil((this.parts.length * (maxWrong - tries)) / maxWrong);
    this.parts.forEach((part, index) => part.classList.toggle("shown", index < hanged));
    this.element.classList.toggle("won", Boolean(over && won));
    this.element.classList.toggle("lost", Boolean(over && !won));
    this.title.textContent = `${maxWrong - tries} of ${maxWrong} wrong guesses`;
    this.word.replaceChildren(
      ...[...word].map((letter, place) => {
        const cell = document.createElement("span");
        cell.textContent = letter !== "_" ? letter : secret?.[place] ?? "";
        cell.className = letter !== "_" ? "place" : secret ? "place missed" : "place hidden";
        cell.style.setProperty("--place", place);
        return cell;
      }),
    );
    this.word.style.setProperty("--places", word.length);
    const letters = [...(secret ?? word)].map((letter) => (letter === "_" ? "blank" : letter));
    this.said.textContent = `Word of ${count(word.length, "letter")}: ${letters.join(", ")}`;
    const misses = wrong ? `Wrong: ${[...wrong].join("\u2009")}` : "No wrong letter";
    const rule = `the ${maxWrong}${["st", "nd", "rd"][maxWrong % 20 - 1] ?? "th"} wrong guess loses`;
    this.tries.textContent = over ? misses : `${count(tries, "try", "tries")} left; ${rule}`;
    for (const [letter, key] of this.keys) {
      const state = wrong.includes(letter) ? "wrong" : word.includes(letter) ? "right" : "";
      key.classList.toggle("wrong", state === "wrong");
      key.classList.toggle("right", state === "right");
      key.dataset.state = { wrong: "not in the word", right: "in the word", "": "not guessed" }[state];
      // Not `disabled`, which would lose the focus.
      if (key.tagName === "BUTTON") key.ariaDisabled = over || state !== "";
    }
    this.showProbabilities(null, null);
  }

  /** Show letter probabilities, and mark the letter that is guessed; null for none. */
  showProbabilities(probabilities, chosen) {
    this.element.classList.toggle("with-bars", probabilities !== null);
    for (const [letter, key] of this.keys) {
      const share = probabilities?.[letter] ?? 0;
      const percent = `${Math.round(100 * share)}%`;
      key.querySelector(".bar").style.height = `${100 * share}%`;
      key.querySelector(".percent").textContent = probabilities && share >= 0.005 ? percent : "";
      key.classList.toggle("chosen", letter === chosen);
      const likely = probabilities && share > 0 ? `, ${percent} likely` : "";
      const marked = letter === chosen ? ", the agent's guess" : "";
      key.setAttribute("aria-label", `${letter}, ${key.dataset.state ?? "not guessed"}${likely}${marked}`);
    }
  }

  /** Show what happened, also to screen readers; `kind` is "won", "lost" or nothing. */
  say(text, kind = "") {
    this.outcome.textContent = text;
    this.outcome.className = `outcome ${kind}`;
  }

  /** Highlight the letter that was just guessed. */
  flash(letter) {
    for (const [other, key] of this.keys) key.classList.toggle("last", other === letter);
  }
}
