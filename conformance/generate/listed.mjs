// Answers whose text cites nothing, of formats that say which sources were used: these are listed, without a place.

import { CONTENTS, sourcesOf, written } from "./contents.mjs";
import { FRAMEWORKS } from "./frameworks.mjs";
import { MARKED } from "./providers-marked.mjs";

/** The formats whose documentation says that the sources beside the text were used for it. */
const USED = ["azure-oyd", "azure-oyd-stream", "perplexity", "perplexity-stream", "dify", "dify-stream"];
const OF_FRAMEWORKS = ["langchain-documents", "llamaindex", "openwebui"];

/** An answer without its citations. */
const bare = (answer) => ({
  ...answer,
  sentences: answer.sentences.map(([words, end]) => [words, end, []]),
  spare: undefined,
});

export const listed = () =>
  [
    ...MARKED.filter(({ id }) => USED.includes(id)),
    ...FRAMEWORKS.filter(({ id }) => OF_FRAMEWORKS.includes(id)),
  ].flatMap((provider) =>
    CONTENTS.slice(0, 3).map((content) => {
      const answer = bare(content);
      const text = written(answer, () => "");
      const sources = sourcesOf(provider, answer);
      const order = Object.keys(sources);
      // Teams draws a claim only where its number is: numbers may stand behind the text.
      const behind = [text, text + order.map((key) => `⟦${key}⟧`).join("")];
      return {
        id: `listed/${provider.id}-${content.id}`,
        format: provider.format ?? provider.id,
        page: provider.page,
        shows: `\`${provider.id}\` cites nothing in the text, and says which sources were used.`,
        input: provider.body(answer),
        sources,
        expect: { reads: text, listed: order },
        channels: { neutral: {}, "web-chat": {}, teams: { reads: behind }, plain: {} },
      };
    }),
  );
