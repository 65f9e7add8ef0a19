// The page: its panels, each with an address.

import { getOpen, onTrouble } from "./api.js";
import { setUpLeaderboard } from "./leaderboard.js";
import { setUpPlay } from "./play.js";
import { setUpWatch } from "./watch.js";

const RETRY = 3_000;
const tabs = [...document.querySelectorAll("[role=tab]")];
const panel = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
const address = (tab) => `#${panel(tab).id}`;

function report(message) {
  document.getElementById("problem").textContent = message;
}

function show(tab, shown) {
  for (const other of tabs) {
    other.setAttribute("aria-selected", other === tab);
    other.tabIndex = other === tab ? 0 : -1;
    panel(other).hidden = other !== tab;
  }
  document.title = `${tab.textContent}: Hangman Lab`;
  report("");
  shown[panel(tab).id]?.();
}

/** Describe the agent. */
function describe(agent) {
  if (agent === null) return "";
  const what = { ppo: "learned the game by reinforcement learning", posterior: "weighs all words that fit", "look-ahead": "plays each letter out" };
  return `Hints are by ${agent}, a program that ${what[agent] ?? "counts words"}.`;
}

function setUp(server) {
  document.getElementById("agent").textContent = describe(server.agent);
  setUpPlay(report, server);
  const shown = { leaderboard: setUpLeaderboard(report, server), watch: setUpWatch(report, server) };
  function choose(tab) {
    if (location.hash !== address(tab)) history.pushState(null, "", address(tab));
    show(tab, shown);
  }
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const next = {
        ArrowRight: tabs[(index + 1) % tabs.length], ArrowLeft: tabs.at(index - 1), Home: tabs[0], End: tabs.at(-1),
      }[event.key];
      if (!next) return;
      event.preventDefault();
      next.focus();
      choose(next);
    });
  });
  const showAddress = () => show(tabs.find((tab) => address(tab) === location.hash) ?? tabs[0], shown);
  addEventListener("popstate", showAddress);
  if (location.hash) showAddress();
}

function start() {
  // Only the request is repeated: the panels are set up once.
  getOpen("server").then(setUp, (error) => {
    report(error.message);
    setTimeout(start, RETRY);
  }).catch((error) => report(String(error)));
}

onTrouble(report);
start();
