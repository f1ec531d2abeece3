// Holds the package against vectors: the same bytes as in the process that wrote them.
//
//     dotnet Test.dll VECTORS.JSONL

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using Citewire;

internal static class Vectors
{
    private static int Main(string[] arguments)
    {
        var counts = new SortedDictionary<string, int>();
        foreach (string line in File.ReadLines(arguments[0]))
        {
            using JsonDocument document = JsonDocument.Parse(line, new JsonDocumentOptions { MaxDepth = 256 });
            JsonElement vector = document.RootElement;
            string call = vector.GetProperty("call").GetString()!;
            counts[call] = counts.GetValueOrDefault(call) + 1;
            byte[] body = vector.TryGetProperty("base64", out JsonElement bytes)
                ? bytes.GetBytesFromBase64()
                : Encoding.UTF8.GetBytes(vector.GetProperty("body").GetString()!);
            JsonElement parameters = vector.GetProperty("parameters");
            var shown = new List<string>();
            Func<string> run = call == "stream"
                ? (Func<string>)(() => Stream(parameters, body, vector.GetProperty("cut").GetInt32(), shown))
                : () => Core.CallJson(Enum.Parse<Call>(call, ignoreCase: true), body, parameters);
            (string result, bool failed) = Outcome(run);
            bool isEqual = result == vector.GetProperty("result").GetString() && failed == vector.GetProperty("failed").GetBoolean()
                && (call != "stream" || shown.SequenceEqual(vector.GetProperty("updates").EnumerateArray().Select(update => update.GetString())));
            if (!isEqual)
            {
                Console.Error.WriteLine($"{vector.GetProperty("name")}: {call}\n got {result}\n not {vector.GetProperty("result")}");
                return 1;
            }
        }
        if (counts.GetValueOrDefault("convert") <= 500 || counts.GetValueOrDefault("stream") <= 100)
        {
            Console.Error.WriteLine("there are too few vectors");
            return 1;
        }
        Console.WriteLine("equal bytes: " + string.Join(", ", counts.Select(count => $"{count.Key} {count.Value}")));
        return 0;
    }

    /// <summary>A result, or the error as the vector has it: its members in their order.</summary>
    private static (string, bool) Outcome(Func<string> call)
    {
        try
        {
            return (call(), false);
        }
        catch (CitewireException error)
        {
            var members = new List<string> { Member("code", error.Code), Member("detail", error.Message) };
            if (error.Pointer != null) members.Add(Member("pointer", error.Pointer));
            if (error.Event != null) members.Add(Member("event", error.Event));
            if (error.Line != null) members.Add(Member("line", error.Line));
            return ("{" + string.Join(",", members) + "}", true);
        }
    }

    private static string Member(string name, object value) => $"\"{name}\":{(value is string text ? Quoted(text) : value)}";

    /// <summary>A string as the library writes it. The encoders of .NET escape characters that need two units.</summary>
    private static string Quoted(string text)
    {
        var written = new StringBuilder("\"");
        foreach (char unit in text)
        {
            string? escaped = unit switch
            {
                '"' => "\\\"",
                '\\' => "\\\\",
                '\b' => "\\b",
                '\f' => "\\f",
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                _ => unit < ' ' ? $"\\u{(int)unit:x4}" : null,
            };
            if (escaped is null) written.Append(unit); else written.Append(escaped);
        }
        return written.Append('"').ToString();
    }

    private static string Stream(JsonElement parameters, byte[] body, int cut, List<string> shown)
    {
        using var streaming = new Streaming(parameters);
        for (int at = 0; at < body.Length; at += cut)
        {
            Update? update = streaming.Push(new ReadOnlyMemory<byte>(body, at, Math.Min(cut, body.Length - at)));
            if (update != null) shown.Add("{" + Member("kind", update.Kind) + "," + Member("text", update.Text) + "}");
        }
        return streaming.FinishJson();
    }
}
