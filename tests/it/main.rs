//! Black-box tests: a real server on a free port, real sockets, the real command.
#![expect(clippy::panic, reason = "that is how the words of these tests say that an expectation failed")]

/// An agent of the Agents SDK that calls citewire as a skill.
mod agents;
/// `POST /v1/activities` and the delivery of answers into conversations.
mod answers;
/// The server under test and what one does with it.
mod app;
/// The contract of stores of assistants and documents.
mod assistant_store;
/// Questions that users type, and the answers of assistants.
mod assistants;
/// Assistants that are made over HTTP: settings, documents and tokens.
mod assistants_as_data;
/// The log for auditors.
mod audit;
/// The bot behind Azure Bot Service, from what is posted to what is answered.
mod azure_bot;
/// Input that no route may stumble over.
mod bad_input;
/// Streams that are cited block by block, and from outside their text.
mod block_streams;
/// A bot behind the embedded channel.
mod bot;
/// Answers that break off.
mod broken_off;
/// Certificates of servers that the tests start.
mod certificates;
/// Answers for Open WebUI and AssistantHub.
mod chat_outputs;
/// The check of activities, by fixtures.
mod check;
/// `POST /v1/check` and `citewire check`.
mod checking;
/// Several processes that serve one set of conversations.
mod cluster;
/// The command: exit codes and streams.
mod command;
/// Assistants as models, for clients of OpenAI, Open WebUI and AssistantHub.
mod completions;
/// A bot's calls to the Bot Connector, and answers through it.
mod connector;
/// The tokens of those who call the bot behind Azure Bot Service.
mod connector_auth;
/// The settings of the image and of `compose.yaml`.
mod conservation;
mod container;
/// The operator's routes to conversations.
mod conversations;
/// Servers that are killed while they are written to.
mod crash;
/// Answers of every format with one member damaged.
mod damaged;
/// The Kubernetes manifests, and the compose file for several nodes.
mod deployments;
/// The embedded Direct Line channel, as its clients see it.
mod direct_line;
/// Posting to another Direct Line: another citewire, and upstreams that misbehave by a script.
mod direct_line_client;
/// What the documents say of citewire.
mod documentation;
/// Documents in a folder: answers that quote them, and downloads.
mod documents;
mod door;
mod embed;
/// What is deleted is gone from the files, too.
mod erasure;
/// From the start of the command to the first cited answer.
mod fair_shares;
mod first_minute;
/// Mappings of formats that citewire does not know.
mod formats;
/// What readers see of a streamed answer, by the kind of its format.
mod formats_streamed;
/// The sample answers through the whole pipeline.
mod golden;
/// Who may import whom.
mod imports;
/// Answers that come later, behind Azure Bot Service.
mod later;
/// Start, expiry, shutdown.
mod lifecycle;
/// Answers that readers see while they are sent.
mod live;
/// What holds for every livestream.
mod livestream;
mod metrics;
/// The OpenAPI document and its viewer.
mod openapi;
/// Rewritten answers as another Markdown engine reads them.
mod oracle;
/// What users read and the log says when the back end of an assistant misbehaves.
mod outcomes;
/// The routes and the streams of outputs that are no activities.
mod outputs;
/// The packages for Teams and Copilot Studio.
mod packages;
/// The page and its session.
mod page;
/// `citewire prompt`.
mod places;
/// A PostgreSQL server, and nodes that share it.
mod postgres;
mod prompt;
/// Mappings that are proposed for invented formats, and what they read.
mod proposals;
mod providers;
/// Programs that read the sources of an answer.
mod records;
/// A Redis server.
mod redis;
/// Assistants of the configuration file.
mod reload;
/// Pages that a list names twice.
mod repeated_pages;
/// Passages that are found by their vectors, reranked, or not good enough.
mod retrieval;
/// Every route and who may call it.
mod routes;
/// What a source without title is called.
mod source_names;
/// One behavioural suite for every store.
mod store;
/// `citewire store`.
mod store_command;
/// What a file outlives, and files that are no stores.
mod store_files;
/// Stores against a plain model.
mod store_model;
/// Disks that are full or fail.
mod store_outage;
/// Streams against whole answers.
mod streams;
/// What holds for every message to Teams and every plain text.
mod teams;
/// The contract of stores for turns: what has to be answered.
mod turns;
/// The back ends that are called over HTTP, against a server that plays their part.
mod upstreams;
/// What users of citation bots have complained about, one test each.
mod user_asks;
/// The same for streams.
mod user_asks_streamed;
