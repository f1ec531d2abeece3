using System;
using System.Buffers;
using System.Collections;
using System.Text;
using System.Text.Json;

namespace Citewire
{
    /// <summary>An answer or activity: text or bytes as they were received, or JSON that was parsed.</summary>
    public readonly struct Body
    {
        private static readonly UTF8Encoding Strict = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

        private readonly ReadOnlyMemory<byte> bytes;

        private Body(ReadOnlyMemory<byte> bytes) => this.bytes = bytes;

        internal ReadOnlySpan<byte> Bytes => bytes.Span;

        /// <summary>Text as it was received.</summary>
        /// <exception cref="CitewireException"><c>half_a_character</c>: the text has half of a surrogate pair.</exception>
        public static implicit operator Body(string text)
        {
            try
            {
                return new Body(Strict.GetBytes(text ?? throw new ArgumentNullException(nameof(text))));
            }
            catch (EncoderFallbackException)
            {
                throw new CitewireException("half_a_character", "the text holds half of a surrogate pair; give whole characters, or bytes");
            }
        }

        /// <summary>UTF-8 as it was received.</summary>
        public static implicit operator Body(byte[] bytes) => new Body(bytes ?? throw new ArgumentNullException(nameof(bytes)));

        /// <summary>UTF-8 as it was received.</summary>
        public static implicit operator Body(ReadOnlyMemory<byte> bytes) => new Body(bytes);

        /// <summary>JSON that was parsed.</summary>
        public static implicit operator Body(JsonElement json)
        {
            var buffer = new ArrayBufferWriter<byte>();
            using (var writer = new Utf8JsonWriter(buffer))
            {
                json.WriteTo(writer);
            }
            return new Body(buffer.WrittenMemory);
        }

        /// <summary>Any object that <see cref="JsonSerializer"/> writes as an object or a list.</summary>
        public static Body Of(object value)
        {
            if (value is null) throw new ArgumentNullException(nameof(value));
            byte[] json = JsonSerializer.SerializeToUtf8Bytes(value, value.GetType());
            if (json[0] != '{' && json[0] != '[') throw new ArgumentException($"{value.GetType()} is no object or list in JSON", nameof(value));
            return new Body(json);
        }
    }
}
