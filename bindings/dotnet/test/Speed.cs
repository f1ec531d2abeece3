// How long a conversion takes: as text, as objects, and with passages that citations are held against. `cargo xtask nuget` makes the
// package that is as fast as releases are.

using System;
using System.Diagnostics;
using System.Linq;
using System.Text.Json;
using Citewire;

internal static class Speed
{
    private const string Passage = "What the document says, in one paragraph of some length, as search services return it.";

    private static readonly string[] Titles = { "Leave policy", "Staff handbook", "Rules of travel" };

    private static void Main()
    {
        string plain = Answer(null), quoted = Answer(Passage);
        Console.WriteLine($"{plain.Length} bytes, as text:    {Best(() => Core.CallJson(Call.Convert, plain))}");
        Console.WriteLine($"{plain.Length} bytes, as objects: {Best(() => Core.Convert(plain))}");
        Console.WriteLine($"{quoted.Length} bytes with passages: {Best(() => Core.CallJson(Call.Convert, quoted))}");
    }

    private static string Answer(string? passage)
    {
        var sentences = Enumerable.Range(0, 22).Select(at => $"Sentence {at + 1} says what the policy of the office says [{(at % 3) + 1}].");
        var sources = Titles.Select((title, at) => new
        {
            title,
            url = $"https://hr.example/documents/{title.ToLowerInvariant().Replace(' ', '-')}/{at + 1}",
            content = passage,
        });
        var options = new JsonSerializerOptions { IgnoreNullValues = true };
        return JsonSerializer.Serialize(new { text = string.Join(" ", sentences), sources }, options);
    }

    private static string Best(Action call)
    {
        double[] times = Enumerable.Range(0, 30).Select(_ =>
        {
            var watch = Stopwatch.StartNew();
            for (int at = 0; at < 100; at++) call();
            return watch.Elapsed.TotalMilliseconds * 10;
        }).OrderBy(time => time).ToArray();
        return FormattableString.Invariant($"{times[0]:F1} µs at best, {times[15]:F1} µs in the middle");
    }
}
