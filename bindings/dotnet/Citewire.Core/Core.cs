using System;
using System.Text;

namespace Citewire
{
    /// <summary>Turns answers with sources into cited messages, in this process. Results are those of the server, byte for byte.</summary>
    public static class Core
    {
        /// <summary>The longest answer, activity or stream, in bytes.</summary>
        public static long MaxBytes => checked((long)Native.citewire_max_bytes());

        /// <summary>Converts an answer, whole or as a stream that has ended, as <c>POST /v1/activities</c> does.</summary>
        /// <param name="answer">The answer as the provider sent it.</param>
        /// <param name="from">The format of the answer, which is detected else.</param>
        /// <param name="channel">A dialect such as <c>teams</c> or <c>slack-blocks</c>, or a channel id with a dialect of its own; else <c>web-chat</c>.</param>
        /// <param name="options">An object with the options of the conversion.</param>
        /// <param name="report"><c>false</c> leaves out the report.</param>
        /// <exception cref="CitewireException">The answer is unusable or refused, or a parameter is wrong.</exception>
        public static Converted Convert(Body answer, string? from = null, string? channel = null, object? options = null, bool? report = null) =>
            Read<Converted>(Call.Convert, answer, new Parameters { From = from, Channel = channel, Options = options, Report = report });

        /// <summary>Checks an activity, as <c>citewire check --json</c> does.</summary>
        /// <param name="activity">The activity.</param>
        /// <param name="channel"><c>web-chat</c> or <c>teams</c>; else <c>web-chat</c>.</param>
        /// <param name="profile"><c>copilot-store</c> or <c>teams-extended</c>: demands beyond those of Teams.</param>
        /// <exception cref="CitewireException">This is no activity, or a parameter is wrong.</exception>
        public static Checked Check(Body activity, string? channel = null, string? profile = null) =>
            Read<Checked>(Call.Check, activity, new Parameters { Channel = channel, Profile = profile });

        /// <summary>Mends an activity and checks what came of it, as <c>citewire check --fix --json</c> does.</summary>
        /// <param name="activity">The activity.</param>
        /// <param name="channel">As <see cref="Check"/> takes it.</param>
        /// <param name="profile">As <see cref="Check"/> takes it.</param>
        /// <exception cref="CitewireException">This is no activity, or a parameter is wrong.</exception>
        public static Fixed Fix(Body activity, string? channel = null, string? profile = null) =>
            Read<Fixed>(Call.Fix, activity, new Parameters { Channel = channel, Profile = profile });

        /// <summary>Reads the sources of an answer, as <c>POST /v1/records</c> does.</summary>
        /// <param name="answer">The answer as the provider sent it.</param>
        /// <param name="from">The format of the answer, which is detected else.</param>
        /// <param name="channel">As <see cref="Convert"/> takes it.</param>
        /// <param name="options">An object with the options of the conversion.</param>
        /// <param name="reshaped">The result of a second model that rewrote the answer: its text, or its response.</param>
        /// <exception cref="CitewireException">The answer is unusable or refused, or a parameter is wrong.</exception>
        public static Records Records(Body answer, string? from = null, string? channel = null, object? options = null, object? reshaped = null) =>
            Read<Records>(Call.Records, answer, new Parameters { From = from, Channel = channel, Options = options, Reshaped = reshaped });

        /// <summary>Writes a prompt with numbered sources, as <c>POST /v1/prompt</c> does.</summary>
        /// <param name="manifest">An object with <c>sources</c>.</param>
        /// <param name="options">An object with the options of the prompt.</param>
        /// <exception cref="CitewireException">The manifest or an option is wrong.</exception>
        public static Prompt Prompt(Body manifest, object? options = null) =>
            Read<Prompt>(Call.Prompt, manifest, new Parameters { Options = options });

        /// <summary>Calls with the members that stand beside the answer over HTTP; the result as it is written.</summary>
        /// <param name="call">The call.</param>
        /// <param name="body">The answer or activity.</param>
        /// <param name="parameters">A JSON object; the default has no members.</param>
        /// <exception cref="CitewireException">The call failed.</exception>
        public static string CallJson(Call call, Body body, Body parameters = default) =>
            Encoding.UTF8.GetString(Run(call, body.Bytes, parameters.Bytes));

        private static T Read<T>(Call call, Body body, Parameters parameters) => Json.Read<T>(Run(call, body.Bytes, parameters.ToJson()));

        private static unsafe byte[] Run(Call call, ReadOnlySpan<byte> body, ReadOnlySpan<byte> parameters)
        {
            Native.Written written = default;
            int kind;
            fixed (byte* bodyAt = body, parametersAt = parameters)
            {
                kind = Native.citewire_call((uint)call, bodyAt, (UIntPtr)body.Length, parametersAt, (UIntPtr)parameters.Length, &written);
            }
            if (kind == Native.Nothing) throw new ArgumentOutOfRangeException(nameof(call), call, "there is no such call");
            byte[] json = written.Take();
            if (kind == Native.Error) throw CitewireException.Of(json);
            return json;
        }
    }

    /// <summary>A call by its number.</summary>
    public enum Call
    {
        /// <summary><see cref="Core.Convert"/>.</summary>
        Convert,

        /// <summary><see cref="Core.Check"/>.</summary>
        Check,

        /// <summary><see cref="Core.Fix"/>.</summary>
        Fix,

        /// <summary><see cref="Core.Records"/>.</summary>
        Records,

        /// <summary><see cref="Core.Prompt"/>.</summary>
        Prompt,
    }
}
