using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Citewire
{
    /// <summary>An answer that arrives in pieces, cut anywhere. It ends with <see cref="Finish"/>, <see cref="Dispose"/> or an exception.</summary>
    public sealed class Streaming : IDisposable
    {
        private readonly Native.StreamHandle stream;

        /// <summary>Begins a stream.</summary>
        /// <param name="from">The format of the answer, which is detected else.</param>
        /// <param name="channel">As <see cref="Core.Convert"/> takes it.</param>
        /// <param name="options">An object with the options of the conversion.</param>
        /// <exception cref="CitewireException">A parameter is wrong.</exception>
        public Streaming(string? from = null, string? channel = null, object? options = null)
        {
            stream = Begin(new Parameters { From = from, Channel = channel, Options = options }.ToJson());
        }

        /// <summary>Begins a stream.</summary>
        /// <param name="parameters">A JSON object with the members that stand beside an answer over HTTP.</param>
        /// <exception cref="CitewireException">A parameter is wrong.</exception>
        public Streaming(JsonElement parameters) => stream = Begin(((Body)parameters).Bytes);

        private delegate int Does(Native.StreamHandle stream, ref Native.Written written);

        /// <summary>Takes the next piece; gives what readers see from now on, if that has changed.</summary>
        /// <exception cref="CitewireException">As for bytes; or the piece has half of a surrogate pair, which ends the stream.</exception>
        public Update? Push(string piece) => Push(Piece(piece));

        /// <summary>Takes the next piece; gives what readers see from now on, if that has changed.</summary>
        /// <exception cref="CitewireException">The answer is unusable or refused, or the stream has ended.</exception>
        public Update? Push(Body piece)
        {
            byte[]? update = PushBytes(piece);
            return update is null ? null : Json.Read<Update>(update);
        }

        /// <summary>Pushes all pieces, and gives each update.</summary>
        public IEnumerable<Update> Follow(IEnumerable<string> pieces)
        {
            bool isWhole = false;
            try
            {
                foreach (string piece in pieces)
                {
                    Update? update = Push(piece);
                    if (update != null) yield return update;
                }
                isWhole = true;
            }
            finally
            {
                if (!isWhole) Dispose();
            }
        }

        /// <summary>Pushes all pieces as they come, and gives each update.</summary>
        public async IAsyncEnumerable<Update> FollowAsync(
            IAsyncEnumerable<string> pieces, [EnumeratorCancellation] CancellationToken cancellation = default)
        {
            bool isWhole = false;
            try
            {
                await foreach (string piece in pieces.WithCancellation(cancellation).ConfigureAwait(false))
                {
                    Update? update = Push(piece);
                    if (update != null) yield return update;
                }
                isWhole = true;
            }
            finally
            {
                if (!isWhole) Dispose();
            }
        }

        /// <summary>The text so far as an activity of its own, in Web Chat with its claims; null where there is none.</summary>
        /// <exception cref="CitewireException">The stream has ended.</exception>
        public unsafe JsonElement? SoFar()
        {
            byte[]? activity = Run((Native.StreamHandle stream, ref Native.Written written) =>
            {
                fixed (Native.Written* at = &written) return Native.citewire_stream_so_far(stream, at);
            });
            return activity is null ? (JsonElement?)null : Json.Read<JsonElement>(activity);
        }

        /// <summary>Ends the stream.</summary>
        /// <exception cref="CitewireException">The answer is unusable or refused, or the stream has ended.</exception>
        public Streamed Finish() => Json.Read<Streamed>(FinishBytes());

        /// <summary>Ends the stream; the end as it is written.</summary>
        /// <exception cref="CitewireException">The answer is unusable or refused, or the stream has ended.</exception>
        public string FinishJson() => Encoding.UTF8.GetString(FinishBytes());

        /// <summary>Gives the stream up.</summary>
        public void Dispose() => stream.Dispose();

        private static unsafe Native.StreamHandle Begin(ReadOnlySpan<byte> parameters)
        {
            Native.Written written = default;
            Native.StreamHandle stream;
            fixed (byte* at = parameters)
            {
                stream = Native.citewire_stream_begin(at, (UIntPtr)parameters.Length, &written);
            }
            return stream.IsInvalid ? throw CitewireException.Of(written.Take()) : stream;
        }

        /// <summary>A piece of the text. One that is no text ends the stream, as any other fault does.</summary>
        private Body Piece(string piece)
        {
            try
            {
                return piece;
            }
            catch
            {
                Dispose();
                throw;
            }
        }

        private unsafe byte[]? PushBytes(Body piece) => Run((Native.StreamHandle stream, ref Native.Written written) =>
        {
            ReadOnlySpan<byte> bytes = piece.Bytes;
            fixed (byte* at = bytes)
            fixed (Native.Written* writtenAt = &written)
            {
                return Native.citewire_stream_push(stream, at, (UIntPtr)bytes.Length, writtenAt);
            }
        });

        private unsafe byte[] FinishBytes()
        {
            byte[] ended = Run((Native.StreamHandle stream, ref Native.Written written) =>
            {
                fixed (Native.Written* at = &written) return Native.citewire_stream_finish(stream, at);
            })!;
            Dispose();
            return ended;
        }

        /// <summary>Calls the library's stream. An error ends it.</summary>
        private byte[]? Run(Does does)
        {
            Native.Written written = default;
            int kind;
            try
            {
                kind = does(stream, ref written);
            }
            catch (ObjectDisposedException)
            {
                throw new CitewireException("stream_ended", "the stream has ended; begin another one");
            }
            if (kind == Native.Nothing) return null;
            byte[] json = written.Take();
            if (kind != Native.Error) return json;
            Dispose();
            throw CitewireException.Of(json);
        }
    }
}
