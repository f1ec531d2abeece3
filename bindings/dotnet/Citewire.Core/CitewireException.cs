using System;
using System.Text.Json;

namespace Citewire
{
    /// <summary>An error with a stable code, and where it has one, its place in the answer.</summary>
    public sealed class CitewireException : Exception
    {
        internal CitewireException(string code, string detail) : base(detail) => Code = code;

        private CitewireException(JsonElement error) : base(error.GetProperty("detail").GetString())
        {
            Code = error.GetProperty("code").GetString() ?? "internal";
            Pointer = error.TryGetProperty("pointer", out JsonElement pointer) ? pointer.GetString() : null;
            Event = Number(error, "event");
            Line = Number(error, "line");
        }

        /// <summary>For programs, the same as over HTTP.</summary>
        public string Code { get; }

        /// <summary>JSON pointer of the fault.</summary>
        public string? Pointer { get; }

        /// <summary>The number of the event at fault in a stream, from 1.</summary>
        public int? Event { get; }

        /// <summary>The line on which that event begins, from 1.</summary>
        public int? Line { get; }

        internal static CitewireException Of(byte[] json)
        {
            using JsonDocument error = JsonDocument.Parse(json);
            return new CitewireException(error.RootElement);
        }

        private static int? Number(JsonElement error, string name) =>
            error.TryGetProperty(name, out JsonElement number) ? number.GetInt32() : (int?)null;
    }
}
