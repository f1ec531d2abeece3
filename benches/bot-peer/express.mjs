// The bot on Express, as the SDK's samples have it. For `benches/start.sh`.
//
//     node express.mjs BACK_END_URL PORT

import express from "express";
import { adapter, bot } from "./bot.mjs";

const server = express();
server.use(express.json());
server.use((request, response, next) => adapter.authorizeRequest(request, response, next));
server.post("/api/messages", (request, response) => adapter.process(request, response, (context) => bot.run(context)));
server.listen(Number(process.argv[3]), "127.0.0.1");
