// The npm package offline-directline, for `benches/posts.sh`.
//
//     node benches/offline-directline/server.mjs BOT
//
// BOT is the messaging endpoint of a bot. The package's own `initializeRoutes` listens on every address of the machine;
// its router is the same thing, and is put behind 127.0.0.1 here.

import express from "express";
import directline from "offline-directline";

const [bot] = process.argv.slice(2);
const app = express();
const server = app.listen(0, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  app.use(directline.getRouter(address, bot));
  // It logs each conversation that is started.
  console.log(`listening on ${address}`);
});
