// Games of the player.

import { Board, count } from "./board.js";
import { ask, getOpen, ownToken, Refusal, setOwnToken } from "./api.js";
import { showReview } from "./review.js";
import { isLossy, load, store } from "./storage.js";

const CURRENT = "hangman-game";
const RECORDED = "hangman-recorded";
const COPIED = 3_000;
const MOST_LISTED = 20;
const MOST_COLUMNS = 7;
const MEANINGS = "https://en.wiktionary.org/wiki/";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const byId = (id) => document.getElementById(id);
const dateOf = (time) => new Date(time).toISOString().slice(0, 10);
const hasKeyboard = () => !matchMedia("(hover: none) and (pointer: coarse)").matches;

/** What is stored under a name, with the fields of `empty` where it is missing or damaged. */
function read(name, empty) {
  try {
    const stored = JSON.parse(load(name)) ?? {};
    return Object.fromEntries(Object.entries(empty).map(([key, value]) => [key, typeof stored[key] === typeof value ? stored[key] : value]));
  } catch {
    return empty;
  }
}

// Statistics of a guest or of the own token. `spread`: games won by wrong guesses, games won with a "hint" and games "lost".
// `days`: the streak of words of the day won on consecutive days, up to `lastDay`; `counted`: the last games counted.
const NO_GAMES = { spread: {}, streak: 0, best: 0, days: 0, lastDay: "", counted: "" };
const MOST_COUNTED = 200;
const tallyName = () => (ownToken() ? "hangman-own-tally" : "hangman-tally");
const readTally = () => read(tallyName(), NO_GAMES);
const column = (game) => (game.status !== "success" ? "lost" : game.hinted ? "hint" : game.wrong.length);
const writeTally = (tally) => store(tallyName(), JSON.stringify(tally));

/** Set up the panel; `report` shows an error, `server` is the answer of /server. */
export function setUpPlay(report, server) {
  const board = new Board(byId("play-board"), (letter) => run(() => guess(letter)));
  board.element.querySelector(".lower").append(byId("ending"));
  let game = null;
  const waiting = new Set();
  let last = Promise.resolve();
  const isOver = () => game !== null && game.status !== "ongoing";
  // The answer of /daily.
  let today = null;
  const isToday = () => game.day !== null && game.day === today?.date;

  /** Run actions in order, so that fast typing loses nothing; one that is waiting already is not repeated. */
  function run(action) {
    if (waiting.has(action)) return;
    waiting.add(action);
    byId("play").setAttribute("aria-busy", "true");
    last = last.then(async () => {
      try {
        report("");
        await action();
      } catch (error) {
        report(error instanceof Refusal ? error.message : String(error));
      }
      waiting.delete(action);
      if (waiting.size === 0) byId("play").removeAttribute("aria-busy");
    });
  }

  function show(next) {
    game = next;
    store(CURRENT, game.game_id);
    const over = isOver();
    if (over) countGame();
    showStreak();
    board.show({
      word: game.word, wrong: game.wrong, tries: game.tries_remains, maxWrong: server.max_wrong, over,
      won: game.status === "success", secret: game.secret,
    });
    const noHints = server.agent === null || (game.recorded && server.recorded_hints === "off");
    byId("hint").ariaDisabled = over || noHints;
    byId("give-up").ariaDisabled = over;
    byId("new-game").className = over ? "main" : "quiet";
    byId("daily").ariaPressed = isToday();
    const marked = game.hinted ? ", marked as one with a hint" : server.recorded_hints === "off" ? ", without hints" : "";
    const kind = game.recorded ? `A recorded game: it counts on the leaderboard${marked}. ` : game.day ? "The word of the day, the same for all. " : "";
    const how = hasKeyboard() ? (over ? "Enter begins the next word." : "Type a letter, or press one.") : over ? "" : "Tap a letter.";
    byId("play-note").textContent = kind + (over && game.day ? describeDay() : how);
    showEnding();
    // The letters are gone.
    if (over && document.activeElement.closest(".key")) byId("new-game").focus();
  }

  /** Fill the panel that replaces the letters after the end; its space is reserved, so that nothing moves. */
  function showEnding() {
    for (const id of ["figures", "spread-title", "spread"]) byId(id).hidden = isLossy();
    const { spread, streak, best, days } = readTally();
    const played = Object.values(spread).reduce((sum, games) => sum + games, 0);
    const won = played - (spread.lost ?? 0);
    const figures = { Played: played, Won: `${played ? Math.round((100 * won) / played) : 0}%`, Streak: streak, Best: best, Days: days };
    byId("figures").replaceChildren(
      ...Object.entries(figures).map(([name, figure]) => {
        const item = document.createElement("div");
        item.innerHTML = `<dt>${name}</dt><dd>${figure}</dd>`;
        return item;
      }),
    );
    // The last of many columns also has the wins with more wrong guesses.
    const last = Math.min(server.max_wrong, MOST_COLUMNS) - 1;
    const merge = (name) => (name > last ? last : name);
    const label = (name) => (name === last && name < server.max_wrong - 1 ? `${name}+` : name);
    const merged = {};
    for (const [name, games] of Object.entries(spread)) merged[merge(name)] = (merged[merge(name)] ?? 0) + games;
    const columns = [...Array(last + 1).keys(), "hint", "lost"];
    const most = Math.max(1, ...Object.values(merged));
    const now = merge(column(game));
    byId("spread").replaceChildren(
      ...columns.map((name) => {
        const bar = document.createElement("div");
        const games = merged[name] ?? 0;
        bar.innerHTML = `<span>${games || ""}</span><i></i><b>${label(name)}</b>`;
        bar.children[1].style.height = `${(100 * games) / most}%`;
        bar.classList.toggle("now", name === now);
        return bar;
      }),
    );
    byId("spread").ariaLabel = columns.map((name) => `${{ hint: "with a hint", lost: "not won" }[name] ?? `${label(name)} wrong`}: ${merged[name] ?? 0}`).join(", ");
    byId("review").hidden = server.agent === null || (isOver() && !game.guesses);
    byId("meaning").hidden = game.secret === null;
    byId("meaning").href = MEANINGS + game.secret;
  }

  function showStreak() {
    const { streak, days } = readTally();
    byId("streak").textContent = isLossy() ? "No statistics: this browser does not store them."
      : `Streak ${streak}${days > 1 ? `, ${days} days in a row` : ""}`;
  }

  /** Describe the results of others today, and when the next word of the day comes. */
  function describeDay() {
    if (!isToday()) return "The next one is here.";
    const minutes = Math.max(0, Math.ceil((today.next - Date.now()) / MINUTE));
    const { players, wrong_guesses: spread } = today;
    const won = spread.reduce((sum, games) => sum + games, 0);
    const usual = spread.indexOf(Math.max(...spread));
    const others = players > 1
      ? `${count(won, "player")} of ${players.toLocaleString("en")} found it${won ? `, most often with ${count(usual, "wrong guess", "wrong guesses")}` : ""}. `
      : "Nobody else is done with it yet. ";
    return others + (minutes ? `The next one comes in ${Math.floor(minutes / 60)} h ${minutes % 60} min.` : "The next one is here.");
  }

  async function readDay() {
    const { seconds_left: seconds, ...day } = await getOpen("daily");
    today = { ...day, next: Date.now() + 1000 * seconds };
  }

  /** Ask for confirmation; resolves to the answer. */
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
    if (game.status === "success") board.say(`You won${game.hinted ? " with a hint" : ""}${secret}.`, "won");
    else if (game.status === "failed") board.say(`${game.resigned ? "Given up" : "Lost"}${secret}.`, "lost");
  }

  /** Count a won or lost game once, in whichever tab it is first shown; a game that is left for another word is lost. */
  function countGame() {
    const { spread, streak, best, days, lastDay, counted } = readTally();
    const ids = counted.split(" ");
    if (ids.includes(game.game_id)) return;
    const won = game.status === "success";
    const name = column(game);
    const now = won ? streak + 1 : 0;
    const tally = { spread: { ...spread, [name]: (spread[name] ?? 0) + 1 }, streak: now, best: Math.max(now, best), days, lastDay };
    tally.counted = [...ids, game.game_id].slice(-MOST_COUNTED).join(" ");
    if (game.day && game.day > lastDay) {
      tally.days = won ? (lastDay === dateOf(Date.parse(game.day) - DAY) ? days + 1 : 1) : 0;
      tally.lastDay = game.day;
    }
    writeTally(tally);
  }

  async function end() {
    if (game.day) await readDay();
    show(game);
    tellEnd();
    await showFigures();
  }

  async function showFigures() {
    const player = await ask("GET", "player");
    byId("recorded-figures").textContent = player.recorded_runs
      ? `Recorded games: ${count(player.recorded_runs, "game")} of ${server.recorded_runs.toLocaleString("en")}, ${player.recorded_successes} won.` : "";
    const open = player.open_games - (game?.status === "ongoing" ? 1 : 0);
    byId("open-games").hidden = open <= 0;
    byId("open-games").querySelector("summary").textContent = count(open, "open game");
    if (byId("open-games").open) await listOpen();
  }

  async function listOpen() {
    const games = (await ask("GET", "games")).filter((open) => open.game_id !== game?.game_id).slice(0, MOST_LISTED);
    const shown = (open) => open.word.length - open.word.split("_").length + 1;
    games.sort((one, other) => one.word.length - other.word.length || shown(other) - shown(one));
    byId("open-list").replaceChildren(
      ...games.map((open) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.className = "link";
        const kind = open.recorded ? ", recorded" : "";
        button.textContent = `${count(open.word.length, "letter")}, ${shown(open)} shown, ${count(open.tries_remains, "try", "tries")} left${kind}: `;
        const word = document.createElement("span");
        word.className = "pattern";
        word.translate = false;
        word.textContent = open.word;
        button.append(word);
        button.addEventListener("click", () => run(() => goOn(open.game_id)));
        item.append(button);
        return item;
      }),
    );
  }

  function tellBeginning() {
    board.flash(null);
    if (isOver()) tellEnd();
    else if (game.guesses) board.say("Your game continues.");
    else board.say(`A word of ${count(game.word.length, "letter")}.`);
  }

  async function goOn(id) {
    show(await ask("GET", `games/${id}`));
    tellBeginning();
    byId("open-games").querySelector("summary").focus();
    await showFigures();
  }

  /** Ask for confirmation before leaving a recorded game, which counts as not won. */
  async function mayLeave() {
    return game === null || isOver() || !game.recorded
      || sure("This recorded game counts as not won until you finish it.", "Leave it open");
  }

  async function newGame() {
    if (!(await mayLeave())) return;
    // The word of the day can be resumed; any other practice game is resigned, and lost if it had begun.
    if (game !== null && !isOver() && !game.recorded && !game.day) {
      const { guesses } = game;
      if (guesses && !(await sure("Give this word up for a new one?", "New word"))) return;
      game = await ask("POST", `games/${game.game_id}/resignation`);
      if (guesses) countGame();
    }
    show(await ask("POST", "games", { recorded: byId("recorded").checked }));
    tellBeginning();
    await showFigures();
  }

  async function daily() {
    if (!(await mayLeave())) return;
    await readDay();
    show(await ask("POST", "games", { daily: true }));
    tellBeginning();
    await showFigures();
  }

  async function guess(letter) {
    if (!game || game.status !== "ongoing" || game.guesses.includes(letter)) return;
    const before = game.word;
    show(await ask("POST", `games/${game.game_id}/guesses`, { letter }));
    board.flash(letter);
    const places = [...game.word].filter((shown, place) => shown === letter && before[place] === "_").length;
    board.say(places ? `${letter} is in the word, ${count(places, "time")}.` : `${letter} is not in the word, ${count(game.tries_remains, "try", "tries")} left.`);
    if (isOver()) await end();
  }

  async function hint() {
    if (byId("hint").ariaDisabled === "true") return;
    if (game.recorded && !game.hinted && !(await sure("A hint marks this game on the leaderboard.", "Take the hint"))) return;
    board.say(`${server.agent} is thinking.`);
    const { letter, probabilities } = await ask("POST", `games/${game.game_id}/hint`).catch((error) => {
      board.say("");
      throw error;
    });
    show({ ...game, hinted: true });
    board.showProbabilities(probabilities, letter);
    board.say(`${server.agent} would guess ${letter}.`);
  }

  async function giveUp() {
    if (byId("give-up").ariaDisabled === "true") return;
    if (!(await sure("Give this word up?", "Give up"))) return;
    show(await ask("POST", `games/${game.game_id}/resignation`));
    board.flash(null);
    await end();
  }

  async function review() {
    const { guesses } = await ask("GET", `games/${game.game_id}/review`);
    showReview(guesses, game.wrong, server.agent);
  }

  /** Copy the result as text, which reveals only the length of the word. */
  async function share() {
    // Orange and blue, which the color-blind tell apart, too.
    const marks = [...game.guesses].map((letter) => (game.wrong.includes(letter) ? "\u{1F7E7}" : "\u{1F7E6}"));
    const result = game.status === "success" ? "won" : game.resigned ? "given up" : "lost";
    const what = game.day ? "the word of the day" : `a word of ${count(game.word.length, "letter")}`;
    const text = `Hangman Lab, ${game.day ?? dateOf(Date.now())}: ${what}, ${result} with ${count(game.wrong.length, "wrong guess", "wrong guesses")}${game.hinted ? " and a hint" : ""}\n${marks.join("")}\n${location.origin}${location.pathname}`;
    // Without HTTPS a browser may refuse; the text is then shown, to be copied.
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    if (copied) return tellCopied();
    byId("shared").value = text;
    byId("copy").showModal();
    byId("shared").select();
  }

  function tellCopied() {
    byId("share").textContent = "Copied";
    byId("copied").textContent = "The result is copied.";
    setTimeout(() => {
      byId("share").textContent = "Copy result";
      byId("copied").textContent = "";
    }, COPIED);
  }

  function showToken() {
    const own = ownToken() !== null;
    byId("token").value = "";
    byId("token").placeholder = own ? "in use" : "";
    byId("recorded").disabled = !own;
    byId("recorded").checked = own && load(RECORDED) !== null;
    byId("forget-token").hidden = !own;
    showStreak();
  }

  async function useToken() {
    const token = byId("token").value.trim();
    if (!token) return;
    const before = ownToken();
    setOwnToken(token);
    try {
      const player = await ask("GET", "player");
      game = null;
      showToken();
      await daily();
      board.say(`Welcome, ${player.name}.`);
    } catch (error) {
      setOwnToken(before);
      throw error;
    }
  }

  const actions = { "new-game": newGame, daily, hint, "give-up": giveUp, share, review };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", (event) => event.detail > 1 || run(action));
  byId("open-games").addEventListener("toggle", () => byId("open-games").open && run(listOpen));
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run(() => useToken());
  });
  byId("forget-token").addEventListener("click", () => {
    store(tallyName(), null);
    store(RECORDED, null);
    setOwnToken(null);
    game = null;
    showToken();
    run(() => daily());
  });
  byId("recorded").addEventListener("change", () => store(RECORDED, byId("recorded").checked ? "yes" : null));
  document.addEventListener("keydown", (event) => {
    // Enter that is held presses once.
    if (event.key === "Enter" && event.repeat) return event.preventDefault();
    const typing = event.target.closest("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || byId("play").hidden) return;
    if (/^[a-z]$/i.test(event.key)) {
      // Some browsers would search the page for it.
      event.preventDefault();
      run(() => guess(event.key.toLowerCase()));
    }
    // Enter presses the focused button, unless it is a guessed letter.
    const pressed = event.target.closest("button, a, summary");
    const idle = !pressed || pressed.ariaDisabled === "true";
    if (event.key === "Enter" && idle && isOver()) {
      event.preventDefault();
      run(newGame);
    }
  });

  byId("introduction").open = Object.keys(readTally().spread).length === 0;
  // Another tab has counted a game, perhaps this one.
  addEventListener("storage", (event) => event.key === tallyName() && run(async () => {
    showStreak();
    if (game?.status === "ongoing") show(await ask("GET", `games/${game.game_id}`));
  }));
  setInterval(() => isOver() && game.day && show(game), MINUTE);
  showToken();
  run(async () => {
    board.say("Waiting for a word.");
    await readDay();
    const current = load(CURRENT);
    const open = current && (await ask("GET", `games/${current}`).catch(() => null));
    // A word of an earlier day without a guess stays among the open games.
    if (open?.status !== "ongoing" || (open.day && open.day !== today.date && !open.guesses)) return daily();
    show(open);
    board.say("Your game continues.");
    await showFigures();
  });
}
