// The bot behind offline-directline: it answers 200 at once, whatever it is told.
//
//     node benches/offline-directline/bot.mjs

import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume().on("end", () => response.end());
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
