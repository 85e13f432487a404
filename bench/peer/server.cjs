// boardgame.io with a minimal game, to be measured. Prints its port and nothing else.
"use strict";

// Must be set before boardgame.io is loaded: otherwise it checks every state and logs to stdout.
process.env.NODE_ENV = "production";

const { parseArgs } = require("node:util");
const { FlatFile, Server } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");

const { values } = parseArgs({ options: { persist: { type: "string" } } });

const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line]);

// Endless: a board that is won or full is cleared, so that new matches cost no time.
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
    // If undefined, in memory.
    db: values.persist && new FlatFile({ dir: values.persist }),
  });
  // The port is passed on to listen(): as an object it can name the interface.
  const { appServer } = await server.run({ port: { host: "127.0.0.1", port: 0 } });
  console.log(appServer.address().port);
}

main();
