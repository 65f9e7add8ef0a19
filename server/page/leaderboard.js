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

function showLengths(player) {
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

/** Set up the panel; returns what reads it anew. */
export function setUpLeaderboard(report) {
  async function refresh() {
    try {
      report("");
      const { players } = await getOpen("leaderboard");
      byId("leaderboard-empty").hidden = players.length > 0;
      byId("leaderboard-table").hidden = players.length === 0;
      byId("by-length").hidden = players.length === 0;
      byId("players").replaceChildren(
        ...players.map((player, index) => {
          const row = document.createElement("tr");
          const name = document.createElement("th");
          name.scope = "row";
          const button = document.createElement("button");
          button.className = "link";
          button.textContent = player.name;
          button.addEventListener("click", () => showLengths(player));
          name.append(button);
          const interval = document.createElement("td");
          interval.className = "rate";
          interval.append(intervalBar(player));
          const games = player.games.toLocaleString("en") + (player.unfinished ? ` (${player.unfinished} open)` : "");
          row.append(
            cell(index + 1, "number"), name, cell(percent(player.win_rate), "number"), interval,
            cell(player.wins.toLocaleString("en"), "number"), cell(games, "number"),
          );
          return row;
        }),
      );
      if (players.length) showLengths(players[0]);
    } catch (error) {
      report(error instanceof Refusal ? error.message : String(error));
    }
  }
  byId("refresh").addEventListener("click", refresh);
  return refresh;
}
