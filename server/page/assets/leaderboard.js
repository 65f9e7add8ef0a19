// The leaderboard.

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

function makeRow(player, own) {
  const row = document.createElement("tr");
  row.classList.toggle("own", player.name === own);
  const name = document.createElement("th");
  name.scope = "row";
  const shown = document.createElement("span");
  shown.className = "name";
  shown.textContent = player.name;
  shown.title = player.name;
  const marks = document.createElement("span");
  marks.className = "marks";
  marks.textContent = [player.name === own && "you", player.unfinished && `${player.unfinished} open`, player.hinted && `${player.hinted} with hints`].filter(Boolean).join(", ");
  // On small screens, in place of two columns.
  const won = document.createElement("span");
  won.className = "marks small-screen";
  won.textContent = `${player.wins.toLocaleString("en")} of ${player.games.toLocaleString("en")} won`;
  name.append(shown, won, marks);
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

/** Show the rank of the own token, whose row may be far down. */
function showOwnRank(own, players, least) {
  byId("own-rank").hidden = own === null;
  if (own === null) return;
  const record = players.find((player) => player.name === own);
  byId("own-rank").textContent = record?.rank
    ? `You are number ${record.rank.toLocaleString("en")} of ${players.length.toLocaleString("en")}.`
    : `You have no rank yet: ${count(Math.max(0, least - (record?.games ?? 0)), "recorded game")} to go.`;
}

/** Set up the panel; returns its refresh function. `server` is the answer of /server. */
export function setUpLeaderboard(report, server) {
  byId("public-words").hidden = server.recorded_words !== "public";

  async function read() {
    try {
      report("");
      const { players, least_games: least } = await getOpen("leaderboard");
      const own = ownToken() ? (await ask("GET", "player")).name : null;
      byId("least-games").textContent = `A rank takes ${count(least, "recorded game")}.`;
      byId("leaderboard-empty").hidden = players.length > 0;
      byId("leaderboard-table").hidden = players.length === 0;
      byId("players").replaceChildren(...players.map((player) => makeRow(player, own)));
      showOwnRank(own, players, least);
    } catch (error) {
      report(error instanceof Refusal ? error.message : String(error));
    }
  }
  byId("refresh").addEventListener("click", read);
  return read;
}
