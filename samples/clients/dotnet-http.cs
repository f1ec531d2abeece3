// Posts an answer into a conversation of citewire, and reads the message and its claims.

using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text.Json;

var key = Environment.GetEnvironmentVariable("CITEWIRE_API_KEY");
var secret = Environment.GetEnvironmentVariable("CITEWIRE_DIRECT_LINE_SECRET");
using var http = new HttpClient { BaseAddress = new Uri("http://127.0.0.1:3978") };

var opened = await Send(HttpMethod.Post, "/v3/directline/conversations", secret);
var (id, token) = (opened.GetProperty("conversationId").GetString(), opened.GetProperty("token").GetString());

await Send(HttpMethod.Post, $"/v1/conversations/{id}/answers", key, new
{
    text = "Leave is 30 days [1].",
    sources = new[] { new { title = "Leave policy", url = "https://hr.contoso.example/leave" } },
});

var read = await Send(HttpMethod.Get, $"/v3/directline/conversations/{id}/activities", token);
foreach (var activity in read.GetProperty("activities").EnumerateArray())
{
    // A greeting has no claims.
    if (!activity.TryGetProperty("entities", out var entities)) continue;
    Console.WriteLine(activity.GetProperty("text"));
    foreach (var entity in entities.EnumerateArray())
    {
        if (!entity.TryGetProperty("citation", out var claims)) continue;
        foreach (var claim in claims.EnumerateArray())
            Console.WriteLine($"[{claim.GetProperty("position")}] {claim.GetProperty("appearance").GetProperty("name")}");
    }
}

async Task<JsonElement> Send(HttpMethod method, string path, string? credential, object? body = null)
{
    using var request = new HttpRequestMessage(method, path);
    request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", credential);
    if (body != null) request.Content = JsonContent.Create(body);
    using var response = await http.SendAsync(request);
    var text = await response.Content.ReadAsStringAsync();
    if (!response.IsSuccessStatusCode) throw new HttpRequestException($"{path}: {(int)response.StatusCode} {text}");
    return JsonSerializer.Deserialize<JsonElement>(text);
}
