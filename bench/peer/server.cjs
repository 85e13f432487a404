// boardgame.io with the lightest of games, to be measured. Prints its port, and nothing else.
"use strict";

// Before boardgame.io is loaded: otherwise it checks every state and writes to stdout.
process.env.NODE_ENV = "production";

const { parseArgs } = require("node:util");
const { FlatFile, Server } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");

const { values } = parseArgs({ options: { persist: { type: "string" } } });

const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line]);

// Without an end: a board that is won or full is cleared, so that no time goes into new matches.
const game = {
  name: "endless",
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    mark({ G, playerID }, cell) {
      if (G.cells[cell] !== null) return INVALID_MOVE;
      G.cells[cell] = playerID;
      const won = LINES.some((line) => line.every((at) => G.cells[at] === playerID));
      if (won || !G.cells.includes(null)) G.cells.fill(null);
    },
  },
};

async function main() {
  const server = Server({
    games: [game],
    origins: [/^http:\/\/127\.0\.0\.1:\d+$/],
    // Undefined: in memory.
    db: values.persist && new FlatFile({ dir: values.persist }),
  });
  // An object as the port, since it is handed on to listen(): a number would open all interfaces.
  const { appServer } = await server.run({ port: { host: "127.0.0.1", port: 0 } });
  console.log(appServer.address().port);
}

main();
