//! The sample answers that the page offers: `samples/answers/<format>/<case>/`, built into the program.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// The files of one sample.
#[derive(Debug)]
pub(crate) struct Sample {
    id: &'static str,
    case: &'static str,
    input: &'static str,
    /// The input is the text of a stream, no JSON document.
    is_stream: bool,
}

/// A sample answer.
#[derive(Serialize, ToSchema)]
#[schema(as = Sample)]
pub(crate) struct Offered<'a> {
    id: &'a str,
    title: String,
    summary: String,
    from: String,
    /// A JSON object, or a stream as text.
    #[schema(value_type = Object)]
    input: Cow<'a, RawValue>,
}

/// `case.json`.
#[derive(Deserialize)]
struct SampleCase {
    title: String,
    summary: String,
    from: String,
}

macro_rules! sample {
    ($id:literal) => {
        sample!($id, "input.json", false)
    };
    ($id:literal is $file:literal) => {
        sample!($id, $file, true)
    };
    ($id:literal, $file:literal, $is_stream:literal) => {
        Sample {
            id: $id,
            case: include_str!(concat!("../../samples/answers/", $id, "/case.json")),
            input: include_str!(concat!("../../samples/answers/", $id, "/", $file)),
            is_stream: $is_stream,
        }
    };
}

macro_rules! samples {
    ($($id:literal $(is $file:literal)?),* $(,)?) => {
        &[$(sample!($id $(is $file)?)),*]
    };
}

/// The samples, in the order in which the page shows them.
pub(crate) const SAMPLES: &[Sample] = samples![
    "native/web-chat-citation",
    "native/leave",
    "native/adjacent",
    "native/labels",
    "native/labels-disagree",
    "native/passage",
    "native/same-document",
    "native/one-address",
    "native/glued-sentences",
    "native/marker-forms",
    "native/annotations",
    "native/bibliography",
    "native/titles",
    "native/long-titles",
    "native/many-sources",
    "native/addresses",
    "native/code",
    "native/open-fence",
    "native/moved-badge",
    "native/html-and-images",
    "native/windows-line-ends",
    "native/unresolved",
    "native/no-citation",
    "native/stream" is "input.sse",
    "native/stream-late" is "input.jsonl",
    "native/stream-failed" is "input.sse",
    "azure-oyd/basic",
    "azure-oyd/only-docn",
    "azure-oyd/title-fallback",
    "azure-oyd/scores",
    "azure-oyd/no-refs",
    "azure-oyd/stream" is "input.sse",
    "azure-oyd/stream-split" is "input.sse",
    "anthropic/web-stream" is "input.sse",
    "assistanthub/basic",
    "azsearch-demo/basic",
    "azsearch-demo/external",
    "azure-agents/message",
    "azure-agents/list",
    "bedrock-converse/basic",
    "bedrock-rag/basic",
    "cohere/rag",
    "dify/chat",
    "azure-knowledge-base/answer",
    "m365-copilot-chat/chat",
    "activity/copilot-studio",
    "gemini/grounding",
    "gemini/citations-stream" is "input.sse",
    "gemini-interactions/stream" is "input.sse",
    "langchain/docs",
    "agent-framework/search-service",
    "haystack/referenced",
    "llamaindex/nodes",
    "mistral/conversation",
    "openai-assistants/file",
    "openai-chat/annotations",
    "openai-responses/web-stream" is "input.sse",
    "openwebui/sources",
    "perplexity/search",
    "perplexity/openrouter",
    "perplexity/openrouter-stream" is "input.sse",
    "perplexity-agent/basic",
    "pydantic-ai/response",
    "mcp/search",
    "chatkit/thread",
    "vercel-ai-sdk/stream" is "input.sse",
    "xai/inline",
];

impl Sample {
    pub(crate) fn read(&self) -> Result<Offered<'_>, serde_json::Error> {
        let SampleCase { title, summary, from } = serde_json::from_str(self.case)?;
        Ok(Offered {
            id: self.id,
            title,
            summary,
            from,
            input: if self.is_stream {
                Cow::Owned(serde_json::value::to_raw_value(self.input)?)
            } else {
                Cow::Borrowed(serde_json::from_str(self.input.trim_start_matches('\u{feff}'))?)
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_on_disk_is_offered() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/answers");
        let folders = |path: &std::path::Path| -> Vec<_> {
            std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
        };
        let cases = folders(&root).into_iter().filter(|path| path.is_dir()).flat_map(|format| folders(&format));
        for case in cases.filter(|path| path.join("case.json").exists()) {
            let id = case.strip_prefix(&root).expect("within").to_str().expect("text").to_owned();
            assert!(
                SAMPLES.iter().any(|sample| sample.id == id),
                "SAMPLES has no line for samples/answers/{id}, which has a case.json"
            );
        }
    }

    #[test]
    fn every_format_has_a_sample() {
        let offered: Vec<String> = SAMPLES.iter().map(|sample| sample.read().expect(sample.id).from).collect();
        for format in crate::ingest::Provider::all() {
            let slug = format.slug();
            let is_offered = offered.iter().any(|from| from == slug);
            assert!(
                is_offered,
                "no case.json of SAMPLES says `\"from\": \"{slug}\"`: give a sample of {slug} one, and a line"
            );
        }
    }

    #[test]
    fn every_sample_can_be_offered() {
        for sample in SAMPLES {
            let offered = sample.read().expect(sample.id);
            assert!(!offered.title.is_empty() && !offered.summary.is_empty(), "{}", sample.id);
            assert!(offered.from == "auto" || offered.from.parse::<crate::ingest::Provider>().is_ok());
        }
    }
}
