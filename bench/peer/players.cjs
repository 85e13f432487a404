// Pairs of players who play without pause; prints what they measured as JSON.
// A move counts when the opponent has received it; each match has at most one move in flight.
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
    // Moves per match; 0: endless. (boardgame.io stores the whole log of a match with each move,
    // so an endless match on disk becomes slower and slower.)
    length: { type: "string", default: "0" },
    // The server's process, to report its share of a core.
    pid: { type: "string" },
  },
});
const length = Number(values.length);

let latencies = [];

class Pair {
  moves = 0; // in all matches
  #match = "";
  #credentials = [];
  #sockets = [];
  #sent = 0;

  // Like boardgame.io's own lobby and client: one player opens a match or a rematch, both join,
  // and each has their own websocket.
  async begin() {
    const [first] = this.#credentials;
    this.#match = first
      ? (await this.#post(`/${this.#match}/playAgain`, first)).nextMatchID
      : (await this.#post("/create", { numPlayers: 2 })).matchID;
    this.#credentials = [];
    for (const playerID of ["0", "1"]) {
      const joined = await this.#post(`/${this.#match}/join`, { playerID, playerName: playerID });
      this.#credentials.push({ playerID, credentials: joined.playerCredentials });
    }
    this.#sockets.forEach((socket) => socket.off("disconnect").disconnect());
    this.#sockets = ["0", "1"].map((seat) => this.#socket(seat));
    let state;
    for (const [seat, socket] of this.#sockets.entries()) {
      // A player gets updates only after "matchData", which follows "sync".
      const matchData = once(socket, "matchData");
      const synced = once(socket, "sync");
      socket.emit("sync", this.#match, String(seat), this.#credentials[seat].credentials, 2);
      state = (await synced)[1].state;
      await matchData;
    }
    this.#move(state.ctx.currentPlayer, state);
  }

  async #post(path, body) {
    const response = await fetch(`http://127.0.0.1:${values.port}/games/endless${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  }

  #socket(seat) {
    // No multiplexing: each player has a websocket, as in a browser.
    const options = { transports: ["websocket"], multiplex: false, reconnection: false };
    const socket = io(`http://127.0.0.1:${values.port}/endless`, options);
    socket.on("update", (match, state) => {
      // Both get the update; the player whose turn it is now is the mover's opponent.
      if (match === this.#match && state.ctx.currentPlayer === seat) this.#received(seat, state);
    });
    socket.on("connect_error", fail);
    socket.on("disconnect", (reason) => fail(new Error(reason)));
    return socket;
  }

  #received(seat, state) {
    this.moves++;
    latencies.push(performance.now() - this.#sent);
    if (length && state._stateID >= length) this.begin().catch(fail);
    else this.#move(seat, state);
  }

  #move(seat, state) {
    const free = [];
    state.G.cells.forEach((cell, index) => cell === null && free.push(index));
    const args = [free[Math.floor(Math.random() * free.length)]];
    // What boardgame.io's own client sends.
    const payload = { type: "mark", args, ...this.#credentials[seat] };
    const action = { type: "MAKE_MOVE", payload };
    this.#sent = performance.now();
    this.#sockets[seat].emit("update", action, state._stateID, this.#match, seat);
  }
}

const once = (socket, event) =>
  new Promise((resolve) => socket.once(event, (...args) => resolve(args)));
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function fail(error) {
  console.error(error);
  process.exit(1);
}

// CPU seconds: the kernel counts in units of 1/100 s.
function cpuSeconds(pid) {
  if (!pid) return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, "ascii").split(") ").at(-1).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function main() {
  const pairs = Array.from({ length: Number(values.matches) }, () => new Pair());
  await Promise.all(pairs.map((pair) => pair.begin()));

  await sleep(Number(values["warm-up"]));
  latencies = [];
  const before = pairs.map((pair) => pair.moves);
  const [start, serverCpu, ownCpu] = [performance.now(), cpuSeconds(values.pid), cpuSeconds(process.pid)];
  await sleep(Number(values.seconds));
  const elapsed = (performance.now() - start) / 1000;
  const shares = [cpuSeconds(values.pid) - serverCpu, cpuSeconds(process.pid) - ownCpu].map((spent) => spent / elapsed);
  const sorted = Float64Array.from(latencies).sort();

  // boardgame.io does not answer a rejected move.
  if (pairs.some((pair, index) => pair.moves === before[index])) fail(new Error("a match stalled"));

  const percentile = (share) => Number(sorted[Math.floor(sorted.length * share)].toFixed(2));
  const rate = Math.round(sorted.length / elapsed);
  const report = { moves_per_second: rate, p50_ms: percentile(0.5), p99_ms: percentile(0.99) };
  const [server, players] = shares.map((share) => Number(share.toFixed(3)));
  if (values.pid) Object.assign(report, { cpu_share: server, players_cpu_share: players });
  console.log(JSON.stringify(report));
  process.exit(0);
}

main().catch(fail);
