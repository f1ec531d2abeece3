// The tests of the package. Each prints its name; the first fault ends the program.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Citewire;

internal static class Calls
{
    private const string Answer = @"{""text"": ""Leave is 30 days [1]."", ""sources"": [{""title"": ""Leave"", ""url"": ""https://hr.example/leave""}]}";

    private const string Misspelt = @"{""type"": ""message"", ""text"": ""So [1]."", ""entities"": [{""type"": ""https://schema.org/Message"", ""@type"": ""Message"",
        ""@context"": ""https://schema.org"", ""@id"": """", ""citations"": [{""@type"": ""Claim"", ""position"": 1,
        ""appearance"": {""@type"": ""DigitalDocument"", ""name"": ""A"", ""abstract"": ""B"", ""url"": ""https://a.example/""}}]}]}";

    private static readonly string[] Events =
    {
        Event(@"{""sources"": [{""title"": ""Leave"", ""url"": ""https://hr.example/leave""}]}"),
        Event(@"{""delta"": ""One [1]. ""}"),
        Event(@"{""delta"": ""Two 😀.""}"),
    };

    private static async Task Main()
    {
        var tests = new (string Name, Func<Task> Run)[]
        {
            (nameof(ResultsHaveTheirMembers), Plain(ResultsHaveTheirMembers)),
            (nameof(ErrorsHaveTheCodeAndThePlace), Plain(ErrorsHaveTheCodeAndThePlace)),
            (nameof(AnswersComeInAnyForm), Plain(AnswersComeInAnyForm)),
            (nameof(WhatIsTooLongIsRefusedAndCallsGoOn), Plain(WhatIsTooLongIsRefusedAndCallsGoOn)),
            (nameof(TwoStreamsAtOnceDoNotMixWhereverBytesAreCut), Plain(TwoStreamsAtOnceDoNotMixWhereverBytesAreCut)),
            (nameof(AStreamShowsItsTextAndEndsOnce), Plain(AStreamShowsItsTextAndEndsOnce)),
            (nameof(AnExceptionOfThePiecesOrOfTheReaderEndsTheStream), Plain(AnExceptionOfThePiecesOrOfTheReaderEndsTheStream)),
            (nameof(AsynchronousPiecesAreFollowedAndCancelled), AsynchronousPiecesAreFollowedAndCancelled),
            (nameof(EightThreadsConvertAtOnceAndMayShareAStream), Plain(EightThreadsConvertAtOnceAndMayShareAStream)),
            (nameof(ManyConversionsAndStreamsLeaveNothingInMemory), Plain(ManyConversionsAndStreamsLeaveNothingInMemory)),
        };
        foreach (var (name, run) in tests)
        {
            Console.Write($"{name} ... ");
            await run();
            Console.WriteLine("ok");
        }
    }

    private static void ResultsHaveTheirMembers()
    {
        Converted converted = Core.Convert(Answer, channel: "teams", options: new { updates = 0 });
        Equal(converted.Activities[^1].GetProperty("text").GetString(), "Leave is 30 days [1].");
        True(converted.Activities.Count == 1 && converted.Report != null);
        True(Core.Convert(Answer, report: false).Report is null);
        JsonElement activity = converted.Activities[^1];
        Equal(Core.Check(activity, channel: "teams").Findings.Count, 0);
        Fixed mended = Core.Fix(Misspelt, channel: "teams");
        True(mended.Activity.GetProperty("type").GetString() == "message" && mended.Changes.Count > 0);
        Records records = Core.Records(Answer);
        Equal(records.Text, "Leave is 30 days [1].");
        True(records.Provider == "citewire" && records.Complete && records.Sources.Count == 1 && records.Claims.Count == 1);
        Equal(string.Join(",", records.Cited), "1");
        Prompt prompt = Core.Prompt(@"{""sources"": [{""title"": ""Leave"", ""content"": ""30 days""}]}", options: new { style = "tags" });
        True(prompt.Text.Contains("<source id=\"1\"") && prompt.Messages.Count > 0 && prompt.Sources.Count == 1);
    }

    private static void ErrorsHaveTheCodeAndThePlace()
    {
        Refused("unknown_channel", () => Core.Convert(Answer, channel: "fax"));
        Equal(Refused("invalid_member", () => Core.Convert(Answer, options: new { updates = "x" })).Pointer, "/options/updates");
        CitewireException found = Refused("invalid_answer", () => Core.Convert(@"{""text"": 5}"));
        True(found.Pointer == "/text" && found.Message.Length > 0 && found.Event is null && found.Line is null);
        using var streaming = new Streaming(from: "citewire");
        string fault = Event(@"{""delta"": ""a""}") + Event(@"{""delta"": 5}");
        found = Refused("invalid_answer", () => streaming.Push(fault));
        True(found.Event == 2 && found.Line == 3);
        Refused("not_json", () => Core.Check("{"));
        Refused("not_an_activity", () => Core.Fix("5"));
        Refused("grounding_no_tools", () => Core.Convert(@"{""text"": ""a""}", options: new { require_grounding = "any" }));
        Throws<ArgumentOutOfRangeException>(() => Core.CallJson((Call)99, Answer));
    }

    private static void AnswersComeInAnyForm()
    {
        string wanted = Core.CallJson(Call.Convert, Answer);
        Equal(Core.CallJson(Call.Convert, Encoding.UTF8.GetBytes(Answer)), wanted);
        Equal(Core.CallJson(Call.Convert, new ReadOnlyMemory<byte>(Encoding.UTF8.GetBytes(Answer))), wanted);
        Equal(Core.CallJson(Call.Convert, JsonDocument.Parse(Answer).RootElement), wanted);
        var value = new { text = "Leave is 30 days [1].", sources = new[] { new { title = "Leave", url = "https://hr.example/leave" } } };
        Equal(Core.CallJson(Call.Convert, Body.Of(value)), wanted);
        Refused("half_a_character", () => Core.Convert("{\"text\": \"\ud83d\"}"));
        Refused("invalid_answer", () => Core.Convert(new byte[] { (byte)'{', 0xff, (byte)'}' }));
        Throws<ArgumentNullException>(() => Core.Convert((string)null!));
        Throws<ArgumentNullException>(() => Core.Convert((byte[])null!));
        Throws<ArgumentException>(() => Body.Of(5));
        using var streaming = new Streaming();
        Refused("half_a_character", () => streaming.Push("\ud83d"));
        Refused("stream_ended", () => streaming.Finish());
    }

    private static void WhatIsTooLongIsRefusedAndCallsGoOn()
    {
        byte[] longer = new byte[100 * 1024 * 1024];
        Array.Fill(longer, (byte)'a');
        foreach (Call call in Enum.GetValues(typeof(Call)).Cast<Call>())
        {
            Refused("body_too_long", () => Core.CallJson(call, longer));
        }
        Equal(Core.MaxBytes, 16L * 1024 * 1024);
        using var streaming = new Streaming(channel: "plain");
        string piece = Event($@"{{""delta"": ""{new string('a', 256 * 1024)}""}}");
        Refused("body_too_long", () =>
        {
            for (int at = 0; at < 65; at++) streaming.Push(piece);
        });
        Refused("stream_ended", () => streaming.Push(piece));
        Equal(Core.Convert(Answer).Activities.Count, 1);
    }

    private static void TwoStreamsAtOnceDoNotMixWhereverBytesAreCut()
    {
        string whole = Core.Convert(string.Concat(Events), channel: "teams", options: new { updates = 0 }).Activities[0].GetRawText();
        using var one = new Streaming(channel: "teams");
        using var other = new Streaming(channel: "plain");
        foreach (byte single in Encoding.UTF8.GetBytes(string.Concat(Events)))
        {
            one.Push(new[] { single });
            other.Push(new[] { single });
        }
        Equal(one.Finish().Message.GetRawText(), whole);
        True(other.Finish().Message.GetProperty("text").GetString()!.Contains("Two 😀."));
    }

    private static void AStreamShowsItsTextAndEndsOnce()
    {
        var streaming = new Streaming();
        True(streaming.SoFar() is null);
        List<Update> updates = streaming.Follow(Events).ToList();
        True(updates.Count > 0 && updates.All(update => update.Kind == "text"));
        True(streaming.SoFar()!.Value.GetProperty("text").GetString()!.StartsWith("One [1]. Two"));
        True(streaming.Finish().Continues);
        Refused("stream_ended", () => streaming.Push(""));
        Refused("stream_ended", () => streaming.SoFar());
        Refused("stream_ended", () => streaming.Finish());
        Refused("stream_ended", () => streaming.FinishJson());
        streaming.Dispose();
        Refused("unknown_channel", () => new Streaming(channel: "fax"));
    }

    private static void AnExceptionOfThePiecesOrOfTheReaderEndsTheStream()
    {
        static IEnumerable<string> Broken()
        {
            yield return Events[0];
            yield return Events[1];
            throw new InvalidOperationException("mine");
        }
        using var broken = new Streaming();
        Equal(Throws<InvalidOperationException>(() => broken.Follow(Broken()).Count()).Message, "mine");
        Refused("stream_ended", () => broken.Finish());
        using var left = new Streaming();
        foreach (Update _ in left.Follow(Events)) break;
        Refused("stream_ended", () => left.Finish());
        // A forgotten stream is freed by the collector.
        new Streaming().Push(Events[0]);
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    private static async Task AsynchronousPiecesAreFollowedAndCancelled()
    {
        static async IAsyncEnumerable<string> Pieces()
        {
            foreach (string piece in Events)
            {
                await Task.Yield();
                yield return piece;
            }
        }
        using var streaming = new Streaming();
        string shown = "";
        await foreach (Update update in streaming.FollowAsync(Pieces())) shown = update.Text;
        True(shown.Length > 0 && streaming.Finish().Message.GetProperty("text").GetString()!.StartsWith(shown));

        using var source = new CancellationTokenSource();
        using var cancelled = new Streaming();
        bool wasCancelled = false;
        try
        {
            await foreach (Update _ in cancelled.FollowAsync(Endless(source), source.Token)) { }
        }
        catch (OperationCanceledException)
        {
            wasCancelled = true;
        }
        True(wasCancelled);
        Refused("stream_ended", () => cancelled.Finish());
    }

    /// <summary>All pieces, and then a wait until the reader gives up, which it does by then.</summary>
    private static async IAsyncEnumerable<string> Endless(
        CancellationTokenSource source, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        foreach (string piece in Events) yield return piece;
        source.Cancel();
        await Task.Delay(Timeout.Infinite, cancellation);
    }

    private static void EightThreadsConvertAtOnceAndMayShareAStream()
    {
        string wanted = Core.CallJson(Call.Convert, Answer);
        var eight = new ParallelOptions { MaxDegreeOfParallelism = 8 };
        Parallel.For(0, 400, eight, _ => Equal(Core.CallJson(Call.Convert, Answer), wanted));
        using var streaming = new Streaming();
        streaming.Push(Events[0]);
        Parallel.For(0, 80, eight, _ => streaming.Push(Events[1]));
        string text = streaming.Finish().Message.GetProperty("text").GetString()!;
        Equal(text.Split("One").Length - 1, 80);
        // A stream that is given up while others use it is freed after their calls.
        using var shared = new Streaming();
        Parallel.For(0, 80, eight, at =>
        {
            try
            {
                if (at == 40) shared.Dispose(); else shared.Push(Events[1]);
            }
            catch (CitewireException error)
            {
                Equal(error.Code, "stream_ended");
            }
        });
    }

    private static void ManyConversionsAndStreamsLeaveNothingInMemory()
    {
        int times = int.Parse(Environment.GetEnvironmentVariable("CITEWIRE_CONVERSIONS") ?? "1000");
        long RoundOf(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                Core.CallJson(Call.Convert, Answer);
                var streaming = new Streaming();
                foreach (string piece in Events) streaming.Push(piece);
                if (round % 2 == 0) streaming.Finish(); else streaming.Dispose();
                Refused("not_json", () => Core.Check("{"));
            }
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            return long.Parse(File.ReadAllText("/proc/self/statm").Split(' ')[1]) * Environment.SystemPageSize;
        }
        RoundOf(times / 2);
        long before = RoundOf(times / 2);
        long more = RoundOf(times) - before;
        True(more < 8 * 1024 * 1024, $"{times} conversions left {more} bytes");
    }

    private static Func<Task> Plain(Action run) => () =>
    {
        run();
        return Task.CompletedTask;
    };

    private static string Event(string data) => $"data: {data}\n\n";

    private static void True(bool holds, string told = "it does not hold")
    {
        if (!holds) throw new Exception(told);
    }

    private static void Equal<T>(T got, T wanted)
    {
        if (!Equals(got, wanted)) throw new Exception($"got {got}, wanted {wanted}");
    }

    private static CitewireException Refused(string code, Action call)
    {
        var error = Throws<CitewireException>(call);
        Equal(error.Code, code);
        return error;
    }

    private static T Throws<T>(Action call) where T : Exception
    {
        try
        {
            call();
        }
        catch (T error)
        {
            return error;
        }
        throw new Exception($"{typeof(T).Name} did not come");
    }
}
