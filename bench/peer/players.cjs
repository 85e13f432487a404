// Pairs of players who play without end and without thinking; prints what they saw as JSON.
// A move counts when the opponent has it; each match has one move in flight at most.
"use strict";

const { readFileSync } = require("node:fs");
const { parseArgs } = require("node:util");
const { io } = require("socket.io-client");

const { values } = parseArgs({
  options: {
    port: { type: "string" },
    matches: { type: "string", default: "50" },
    "warm-up": { type: "string", default: "3" },
    seconds: { type: "string", default: "20" },
    // Moves until a pair goes on to a new match; 0: never. (boardgame.io stores a match's whole
    // log again with each move, hence a match without end gets slower and slower on disk.)
    length: { type: "string", default: "0" },
    // The server's process, if its share of a core is to be told.
    pid: { type: "string" },
  },
});
const length = Number(values.length);

let delays = [];

class Pair {
  moves = 0; // in all
  #match = "";
  #credentials = [];
  #sockets = [];
  #sent = 0;

  // As boardgame.io's own lobby and client do it: a match is opened or played again by one of them,
  // both take their seats, and each has a websocket of his own for it.
  async begin() {
    const [asker] = this.#credentials;
    this.#match = asker
      ? (await this.#ask(`/${this.#match}/playAgain`, asker)).nextMatchID
      : (await this.#ask("/create", { numPlayers: 2 })).matchID;
    this.#credentials = [];
    for (const playerID of ["0", "1"]) {
      const sat = await this.#ask(`/${this.#match}/join`, { playerID, playerName: playerID });
      this.#credentials.push({ playerID, credentials: sat.playerCredentials });
    }
    this.#sockets.forEach((socket) => socket.off("disconnect").disconnect());
    this.#sockets = ["0", "1"].map((seat) => this.#socket(seat));
    let state;
    for (const [seat, socket] of this.#sockets.entries()) {
      // A player gets updates only after "matchData", which follows upon "sync".
      const seated = once(socket, "matchData");
      const synced = once(socket, "sync");
      socket.emit("sync", this.#match, String(seat), this.#credentials[seat].credentials, 2);
      state = (await synced)[1].state;
      await seated;
    }
    this.#move(state.ctx.currentPlayer, state);
  }

  async #ask(path, what) {
    const answer = await fetch(`http://127.0.0.1:${values.port}/games/endless${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(what),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.json();
  }

  #socket(seat) {
    // Not one connection for all: each player has a websocket, as in a browser.
    const options = { transports: ["websocket"], multiplex: false, reconnection: false };
    const socket = io(`http://127.0.0.1:${values.port}/endless`, options);
    socket.on("update", (match, state) => {
      // Both get the update; to whom it gives the turn is the mover's opponent.
      if (match === this.#match && state.ctx.currentPlayer === seat) this.#received(seat, state);
    });
    socket.on("connect_error", fail);
    socket.on("disconnect", (reason) => fail(new Error(reason)));
    return socket;
  }

  #received(seat, state) {
    this.moves++;
    delays.push(performance.now() - this.#sent);
    if (length && state._stateID >= length) this.begin().catch(fail);
    else this.#move(seat, state);
  }

  #move(seat, state) {
    const free = [];
    state.G.cells.forEach((cell, at) => cell === null && free.push(at));
    const args = [free[Math.floor(Math.random() * free.length)]];
    // What boardgame.io's own client sends.
    const payload = { type: "mark", args, ...this.#credentials[seat] };
    const action = { type: "MAKE_MOVE", payload };
    this.#sent = performance.now();
    this.#sockets[seat].emit("update", action, state._stateID, this.#match, seat);
  }
}

const once = (socket, event) =>
  new Promise((resolve) => socket.once(event, (...told) => resolve(told)));
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function fail(error) {
  console.error(error);
  process.exit(1);
}

// In seconds, by the kernel's count of 100 a second.
function cpu(pid) {
  if (!pid) return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, "ascii").split(") ").at(-1).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function main() {
  const pairs = Array.from({ length: Number(values.matches) }, () => new Pair());
  await Promise.all(pairs.map((pair) => pair.begin()));

  await sleep(Number(values["warm-up"]));
  delays = [];
  const before = pairs.map((pair) => pair.moves);
  const [begun, used, own] = [performance.now(), cpu(values.pid), cpu(process.pid)];
  await sleep(Number(values.seconds));
  const took = (performance.now() - begun) / 1000;
  const shares = [cpu(values.pid) - used, cpu(process.pid) - own].map((spent) => spent / took);
  const seen = Float64Array.from(delays).sort();

  // boardgame.io answers a refused move with silence.
  if (pairs.some((pair, at) => pair.moves === before[at])) fail(new Error("a match stood still"));

  const at = (share) => Number(seen[Math.floor(seen.length * share)].toFixed(2));
  const rate = Math.round(seen.length / took);
  const told = { moves_a_second: rate, p50_ms: at(0.5), p99_ms: at(0.99) };
  const [server, players] = shares.map((share) => Number(share.toFixed(3)));
  if (values.pid) Object.assign(told, { cpu_share: server, players_cpu_share: players });
  console.log(JSON.stringify(told));
  process.exit(0);
}

main().catch(fail);
