// The recorded games of all players.

import { ask, getOpen, ownToken, Refusal } from "./api.js";
import { count } from "./board.js";

const byId = (id) => document.getElementById(id);
const percent = (share) => `${(100 * share).toFixed(1)}%`;

function cell(text, className = "") {
  const made = document.createElement("td");
  made.textContent = text;
  made.className = className;
  return made;
}

/** A win rate with its interval, as a mark on a line from 0 to 100%. */
function intervalBar({ win_rate: rate, ci95: [low, high] }) {
  const said = `${percent(low)} to ${percent(high)}`;
  const bar = document.createElement("span");
  bar.className = "interval";
  bar.innerHTML = '<i class="span"></i><i class="point"></i>';
  bar.children[0].style.left = percent(low);
  bar.children[0].style.width = percent(high - low);
  bar.children[1].style.left = percent(rate);
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", said);
  bar.title = said;
  return bar;
}

async function showLengths(name) {
  const player = await getOpen(`leaderboard/player?name=${encodeURIComponent(name)}`);
  for (const button of byId("players").querySelectorAll("button")) button.ariaCurrent = button.textContent === name;
  byId("by-length").hidden = false;
  byId("by-length-title").textContent = `${player.name}, by word length`;
  byId("lengths").replaceChildren(
    ...Object.entries(player.by_length).map(([length, games]) => {
      const row = document.createElement("div");
      row.setAttribute("role", "listitem");
      const name = document.createElement("span");
      name.textContent = count(Number(length), "letter");
      const text = document.createElement("span");
      text.textContent = `${percent(games.win_rate)} of ${games.games.toLocaleString("en")}`;
      row.append(name, intervalBar(games), text);
      return row;
    }),
  );
}

function makeRow(player, own, report) {
  const row = document.createElement("tr");
  row.classList.toggle("own", player.name === own);
  const name = document.createElement("th");
  name.scope = "row";
  const button = document.createElement("button");
  button.className = "link name";
  button.textContent = player.name;
  button.title = player.name;
  button.addEventListener("click", () => showLengths(player.name).catch((error) => report(error.message)));
  const marks = document.createElement("span");
  marks.className = "marks";
  const hinted = player.hinted && `${player.hinted} with hints${player.hinted_wins ? `, ${player.hinted_wins} of them won` : ""}`;
  marks.textContent = [player.name === own && "you", player.unfinished && `${player.unfinished} open`, hinted].filter(Boolean).join(", ");
  // On small screens, in place of two columns.
  const won = document.createElement("span");
  won.className = "marks small-screen";
  won.textContent = `${player.wins.toLocaleString("en")} of ${player.games.toLocaleString("en")} won`;
  name.append(button, won, marks);
  const interval = document.createElement("td");
  interval.className = "rate";
  const [low, high] = player.ci95;
  interval.innerHTML = `<span class="marks">${percent(player.win_rate)} <span class="nowrap">(${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})</span></span>`;
  interval.prepend(intervalBar(player));
  row.append(
    cell(player.rank ?? "\u2013", "number"), name, cell((100 * low).toFixed(1), "number score"), interval,
    cell(player.wins.toLocaleString("en"), "number games"), cell(player.games.toLocaleString("en"), "number games"),
  );
  return row;
}

/** Say how the player of a token of one's own stands, who may be far below what is shown. */
async function showOwnRank(own, total, least) {
  byId("own-rank").hidden = own === null;
  if (own === null) return;
  const record = await getOpen(`leaderboard/player?name=${encodeURIComponent(own)}`).catch((error) => {
    // Without a recorded game.
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  });
  const missing = least - (record?.games ?? 0);
  byId("own-rank").textContent = record?.rank
    ? `You are number ${record.rank.toLocaleString("en")} of ${total.toLocaleString("en")}.`
    : `You have no rank yet: ${count(missing, "recorded game")} to go.`;
}

/** Set up the panel; returns what reads it anew. `server` says what the server offers. */
export function setUpLeaderboard(report, server) {
  byId("public-words").hidden = server.recorded_words !== "public";

  async function read(offset) {
    try {
      report("");
      const { players, total, least_games: least } = await getOpen(`leaderboard?offset=${offset}`);
      const own = ownToken() ? (await ask("GET", "player")).name : null;
      byId("least-games").textContent = `A rank takes ${count(least, "recorded game")}.`;
      byId("leaderboard-empty").hidden = total > 0;
      byId("leaderboard-table").hidden = total === 0;
      byId("more").hidden = offset + players.length >= total;
      if (offset === 0) byId("players").replaceChildren();
      byId("players").append(...players.map((player) => makeRow(player, own, report)));
      await showOwnRank(own, total, least);
      if (offset === 0 && total) await showLengths(players[0].name);
      if (total === 0) byId("by-length").hidden = true;
    } catch (error) {
      report(error instanceof Refusal ? error.message : String(error));
    }
  }
  byId("refresh").addEventListener("click", () => read(0));
  byId("more").addEventListener("click", () => read(byId("players").children.length));
  return () => read(0);
}
