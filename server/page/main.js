// The page: its panels, and what the server offers.

import { getOpen } from "./api.js";
import { setUpLeaderboard } from "./leaderboard.js";
import { setUpPlay } from "./play.js";
import { setUpWatch } from "./watch.js";

const tabs = [...document.querySelectorAll("[role=tab]")];
const panel = (tab) => document.getElementById(tab.getAttribute("aria-controls"));

function report(message) {
  const problem = document.getElementById("problem");
  problem.hidden = !message;
  problem.textContent = message;
}

function choose(tab, shown) {
  for (const other of tabs) {
    other.setAttribute("aria-selected", other === tab);
    other.tabIndex = other === tab ? 0 : -1;
    panel(other).hidden = other !== tab;
  }
  report("");
  shown[panel(tab).id]?.();
  history.replaceState(null, "", `#${panel(tab).id}`);
}

async function begin() {
  const server = await getOpen("server");
  document.getElementById("about").textContent =
    (server.agent ? `Hints are by ${server.agent}. ` : "This server has no agent. ") +
    `The ${server.max_wrong}${["st", "nd", "rd"][server.max_wrong - 1] ?? "th"} wrong guess loses.`;
  const shown = { leaderboard: setUpLeaderboard(report) };
  setUpPlay(report, server);
  setUpWatch(report, server);
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => choose(tab, shown));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      choose(next, shown);
    });
  });
  const asked = tabs.find((tab) => `#${panel(tab).id}` === location.hash);
  if (asked) choose(asked, shown);
}

begin().catch((error) => report(error.message));
