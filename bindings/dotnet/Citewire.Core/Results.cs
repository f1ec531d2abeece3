using System.Collections.Generic;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Citewire
{
    /// <summary>An answer as activities.</summary>
    public sealed class Converted
    {
        /// <summary>The last one is the message; those before it are updates of a stream.</summary>
        [JsonPropertyName("activities")]
        public IReadOnlyList<JsonElement> Activities { get; set; } = System.Array.Empty<JsonElement>();

        /// <summary>The report, unless it was left out.</summary>
        [JsonPropertyName("report")]
        public JsonElement? Report { get; set; }
    }

    /// <summary>The findings about an activity: faults that readers of a channel would see.</summary>
    public class Checked
    {
        /// <summary>The findings, in the order of their places.</summary>
        [JsonPropertyName("findings")]
        public IReadOnlyList<JsonElement> Findings { get; set; } = System.Array.Empty<JsonElement>();
    }

    /// <summary>An activity that was mended.</summary>
    public sealed class Fixed : Checked
    {
        /// <summary>The activity.</summary>
        [JsonPropertyName("activity")]
        public JsonElement Activity { get; set; }

        /// <summary>The changes, each with its reason.</summary>
        [JsonPropertyName("changes")]
        public IReadOnlyList<JsonElement> Changes { get; set; } = System.Array.Empty<JsonElement>();
    }

    /// <summary>The sources of an answer in one schema.</summary>
    public sealed class Records
    {
        /// <summary>The format of the answer.</summary>
        [JsonPropertyName("provider")]
        public string? Provider { get; set; }

        /// <summary>Whether the provider marked the answer as complete.</summary>
        [JsonPropertyName("complete")]
        public bool Complete { get; set; }

        /// <summary>The error that the provider reported.</summary>
        [JsonPropertyName("error")]
        public JsonElement? Error { get; set; }

        /// <summary>Whether the provider used its retrieval tools.</summary>
        [JsonPropertyName("tools_invoked")]
        public bool? ToolsInvoked { get; set; }

        /// <summary>The text with the position of a source, <c>[n]</c>, in place of each marker.</summary>
        [JsonPropertyName("text")]
        public string Text { get; set; } = "";

        /// <summary>The sources, in the order of their positions.</summary>
        [JsonPropertyName("sources")]
        public IReadOnlyList<JsonElement> Sources { get; set; } = System.Array.Empty<JsonElement>();

        /// <summary>The positions of the cited sources, in the order of their first citation.</summary>
        [JsonPropertyName("cited")]
        public IReadOnlyList<int> Cited { get; set; } = System.Array.Empty<int>();

        /// <summary>The positions of the sources to list for readers, ascending.</summary>
        [JsonPropertyName("shown")]
        public IReadOnlyList<int> Shown { get; set; } = System.Array.Empty<int>();

        /// <summary>The markers that match no source, as they were in the text.</summary>
        [JsonPropertyName("unresolved")]
        public IReadOnlyList<string> Unresolved { get; set; } = System.Array.Empty<string>();

        /// <summary>JSON pointers of what looks like a source and is not read.</summary>
        [JsonPropertyName("unread")]
        public IReadOnlyList<string> Unread { get; set; } = System.Array.Empty<string>();

        /// <summary>The parts of the text behind its citations, and whether the passages of their sources hold them.</summary>
        [JsonPropertyName("claims")]
        public IReadOnlyList<JsonElement> Claims { get; set; } = System.Array.Empty<JsonElement>();
    }

    /// <summary>A prompt with numbered sources.</summary>
    public sealed class Prompt
    {
        /// <summary>The prompt in one text.</summary>
        [JsonPropertyName("text")]
        public string Text { get; set; } = "";

        /// <summary>The prompt as messages.</summary>
        [JsonPropertyName("messages")]
        public IReadOnlyList<JsonElement> Messages { get; set; } = System.Array.Empty<JsonElement>();

        /// <summary>The sources in the order of their numbers.</summary>
        [JsonPropertyName("sources")]
        public IReadOnlyList<JsonElement> Sources { get; set; } = System.Array.Empty<JsonElement>();
    }

    /// <summary>The new text for readers.</summary>
    public sealed class Update
    {
        /// <summary><c>text</c>, or <c>informative</c>: words in place of an answer that cannot be shown yet.</summary>
        [JsonPropertyName("kind")]
        public string Kind { get; set; } = "";

        /// <summary>All of the text so far.</summary>
        [JsonPropertyName("text")]
        public string Text { get; set; } = "";
    }

    /// <summary>The end of a stream.</summary>
    public sealed class Streamed
    {
        /// <summary>Equal to the message of the whole answer.</summary>
        [JsonPropertyName("message")]
        public JsonElement Message { get; set; }

        /// <summary>Whether the message may follow the text shown last. If not, end the stream and send it as a new one.</summary>
        [JsonPropertyName("continues")]
        public bool Continues { get; set; }

        /// <summary>The report.</summary>
        [JsonPropertyName("report")]
        public JsonElement Report { get; set; }
    }
}
