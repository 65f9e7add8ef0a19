// The recorded games of all players.

import { getOpen, Refusal } from "./api.js";

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
  const bar = document.createElement("span");
  bar.className = "interval";
  bar.innerHTML = '<i class="span"></i><i class="point"></i>';
  bar.children[0].style.left = percent(low);
  bar.children[0].style.width = percent(high - low);
  bar.children[1].style.left = percent(rate);
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", `${percent(low)} to ${percent(high)}`);
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
      name.textContent = `${length} ${length === "1" ? "letter" : "letters"}`;
      const text = document.createElement("span");
      text.textContent = `${percent(games.win_rate)} of ${games.games.toLocaleString("en")}`;
      row.append(name, intervalBar(games), text);
      return row;
    }),
  );
}

function makeRow(player, report) {
  const row = document.createElement("tr");
  const name = document.createElement("th");
  name.scope = "row";
  const button = document.createElement("button");
  button.className = "link";
  button.textContent = player.name;
  button.addEventListener("click", () => showLengths(player.name).catch((error) => report(error.message)));
  const marks = document.createElement("span");
  marks.className = "marks";
  marks.textContent = [player.unfinished && `${player.unfinished} open`, player.hinted && `${player.hinted} with hints`].filter(Boolean).join(", ");
  name.append(button, marks);
  const interval = document.createElement("td");
  interval.className = "rate";
  interval.append(intervalBar(player));
  row.append(
    cell(player.rank, "number"), name, cell(percent(player.win_rate), "number"), interval,
    cell(player.wins.toLocaleString("en"), "number"), cell(player.games.toLocaleString("en"), "number"),
  );
  return row;
}

/** Set up the panel; returns what reads it anew. `server` says what the server offers. */
export function setUpLeaderboard(report, server) {
  byId("public-words").hidden = server.recorded_words !== "public";

  async function read(offset) {
    try {
      report("");
      const { players, total } = await getOpen(`leaderboard?offset=${offset}`);
      byId("leaderboard-empty").hidden = total > 0;
      byId("leaderboard-table").hidden = total === 0;
      byId("more").hidden = offset + players.length >= total;
      if (offset === 0) byId("players").replaceChildren();
      byId("players").append(...players.map((player) => makeRow(player, report)));
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
