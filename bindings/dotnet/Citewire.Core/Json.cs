using System.Text.Json;
using System.Text.Json.Serialization;

namespace Citewire
{
    internal static class Json
    {
        /// <summary>As deep as the library reads, and somewhat deeper: activities stand within results.</summary>
        private static readonly JsonSerializerOptions Deep = new JsonSerializerOptions { MaxDepth = 256 };

        internal static T Read<T>(byte[] json) => JsonSerializer.Deserialize<T>(json, Deep)!;
    }

    /// <summary>The members that stand beside an answer or activity. Those that are null are absent.</summary>
    internal sealed class Parameters
    {
        private static readonly JsonSerializerOptions WithoutNulls = new JsonSerializerOptions { IgnoreNullValues = true };

        [JsonPropertyName("from")]
        public string? From { get; set; }

        [JsonPropertyName("channel")]
        public string? Channel { get; set; }

        [JsonPropertyName("profile")]
        public string? Profile { get; set; }

        [JsonPropertyName("report")]
        public bool? Report { get; set; }

        [JsonPropertyName("options")]
        public object? Options { get; set; }

        [JsonPropertyName("reshaped")]
        public object? Reshaped { get; set; }

        internal byte[] ToJson() => JsonSerializer.SerializeToUtf8Bytes(this, WithoutNulls);
    }
}
