//! The formats by name: [`Provider`] and its slugs.

use std::num::NonZeroU32;
use std::str::FromStr;

use crate::answer::{Answer, SourceIndex, TakenOut};
use crate::text::echo;

/// Defines [`Provider`]: each line is a variant and its slug.
macro_rules! providers {
    ($($(#[$doc:meta])* $name:ident: $slug:literal,)+) => {
        /// An input format. The command line and the HTTP API name it by its slug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Provider {
            $($(#[$doc])* #[doc = concat!("Slug `", $slug, "`.")] $name,)+
        }

        impl Provider {
            const ALL: [Self; [$($slug),+].len()] = [$(Self::$name),+];

            /// The name on the command line and in the HTTP API, for example `openai-chat`.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self {
                    $(Self::$name => $slug,)+
                }
            }
        }
    };
}

providers! {
    /// xAI, responses and chat completions.
    Xai: "xai",
    /// Perplexity's agent, responses.
    PerplexityAgent: "perplexity-agent",
    /// OpenAI Responses.
    OpenAiResponses: "openai-responses",
    /// Azure OpenAI On Your Data.
    AzureOnYourData: "azure-oyd",
    /// AssistantHub.
    AssistantHub: "assistanthub",
    /// Perplexity Sonar.
    Perplexity: "perplexity",
    /// Mistral, conversations and chat completions.
    Mistral: "mistral",
    /// The azure-search-openai-demo.
    AzureSearchDemo: "azsearch-demo",
    /// OpenAI Chat Completions.
    OpenAiChat: "openai-chat",
    /// Azure AI agents: threads whose annotations also cite pages.
    AzureAgents: "azure-agents",
    /// OpenAI Assistants.
    OpenAiAssistants: "openai-assistants",
    /// Gemini and Vertex AI, `generateContent`.
    Gemini: "gemini",
    /// Claude Messages.
    Anthropic: "anthropic",
    /// Gemini Interactions.
    GeminiInteractions: "gemini-interactions",
    /// Cohere chat, both versions.
    Cohere: "cohere",
    /// Amazon Bedrock, RetrieveAndGenerate.
    BedrockRag: "bedrock-rag",
    /// Amazon Bedrock, Converse.
    BedrockConverse: "bedrock-converse",
    /// Open WebUI, its events.
    OpenWebUi: "openwebui",
    /// Dify, a chat application.
    Dify: "dify",
    /// Azure AI Search, the retrieve action of a knowledge base.
    AzureKnowledgeBase: "azure-knowledge-base",
    /// Microsoft 365 Copilot, conversations of its Chat API.
    M365CopilotChat: "m365-copilot-chat",
    /// Activities of the Bot Framework, with claims.
    Activity: "activity",
    /// LangChain, the output of a retrieval chain, and messages.
    LangChain: "langchain",
    /// Haystack, the answers of a pipeline.
    Haystack: "haystack",
    /// Microsoft Agent Framework, its responses and updates.
    AgentFramework: "agent-framework",
    /// LlamaIndex, the response of a query engine.
    LlamaIndex: "llamaindex",
    /// Vercel AI SDK, messages for a user interface.
    VercelAiSdk: "vercel-ai-sdk",
    /// Pydantic AI, responses of a model, histories and events of a run.
    PydanticAi: "pydantic-ai",
    /// OpenAI ChatKit, threads, items and events.
    ChatKit: "chatkit",
    /// Model Context Protocol, results of tools.
    Mcp: "mcp",
    /// citewire's own manifest.
    Native: "citewire",
}

/// The error for a slug that no format has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {:?}; known formats: auto, {}", echo(given), slugs())]
pub struct UnknownProvider {
    /// The slug as given.
    pub given: String,
}

fn slugs() -> String {
    let mut slugs: Vec<&str> = Provider::all().map(Provider::slug).collect();
    slugs.sort_unstable();
    slugs.join(", ")
}

impl Provider {
    /// All formats, each once.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter()
    }

    /// Whether the order of its sources is a ranking: the order of a search, or of first citation.
    fn ranks(self) -> bool {
        match self {
            Self::AzureOnYourData
            | Self::OpenAiChat
            | Self::OpenAiResponses
            | Self::AzureAgents
            | Self::OpenAiAssistants
            | Self::Gemini
            | Self::GeminiInteractions
            | Self::Perplexity
            | Self::PerplexityAgent
            | Self::AssistantHub
            | Self::Dify
            | Self::AzureKnowledgeBase => true,
            Self::Native
            | Self::Xai
            | Self::Mistral
            | Self::AzureSearchDemo
            | Self::Anthropic
            | Self::Cohere
            | Self::BedrockRag
            | Self::BedrockConverse
            | Self::ChatKit
            | Self::OpenWebUi
            | Self::M365CopilotChat
            | Self::Mcp
            | Self::Activity
            | Self::LangChain
            | Self::AgentFramework
            | Self::Haystack
            | Self::LlamaIndex
            | Self::VercelAiSdk
            | Self::PydanticAi => false,
        }
    }

    /// Whether the format, by its documentation, gives the sources that were used for the answer, and not all that a search
    /// found or a caller has. Formats whose readers know it of each source are not among them.
    fn gives_used(self) -> bool {
        match self {
            Self::Activity
            | Self::AgentFramework
            | Self::AzureOnYourData
            | Self::AzureSearchDemo
            | Self::Cohere
            | Self::Dify
            | Self::Gemini
            | Self::Haystack
            | Self::LangChain
            | Self::LlamaIndex
            | Self::OpenWebUi
            | Self::Perplexity => true,
            Self::Anthropic
            | Self::AssistantHub
            | Self::AzureAgents
            | Self::AzureKnowledgeBase
            | Self::BedrockConverse
            | Self::BedrockRag
            | Self::ChatKit
            | Self::GeminiInteractions
            | Self::M365CopilotChat
            | Self::Mcp
            | Self::Mistral
            | Self::Native
            | Self::OpenAiAssistants
            | Self::OpenAiChat
            | Self::OpenAiResponses
            | Self::PerplexityAgent
            | Self::PydanticAi
            | Self::VercelAiSdk
            | Self::Xai => false,
        }
    }

    /// Completes an answer of this format: sets the provider, gives sources without a rank their place if the order is a
    /// ranking, tells which sources were used, and removes content that readers must not get.
    pub(super) fn gave(self, mut answer: Answer) -> Answer {
        answer.provider = Some(self.slug());
        answer.clean(TakenOut::default());
        if self.gives_used() && !answer.sources.is_empty() {
            answer.shown.get_or_insert_with(|| (0..answer.sources.len()).map(SourceIndex).collect());
        }
        if self.ranks() {
            let ranks = (1..).map_while(NonZeroU32::new);
            for (source, rank) in answer.sources.iter_mut().zip(ranks) {
                source.rank.get_or_insert(rank);
            }
        }
        answer
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(slug: &str) -> Result<Self, Self::Err> {
        Self::all().find(|provider| provider.slug() == slug).ok_or_else(|| UnknownProvider { given: slug.to_owned() })
    }
}
