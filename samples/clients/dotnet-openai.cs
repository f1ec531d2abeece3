// Asks an assistant of citewire with OpenAI's client for .NET; the raw response has the sources.

using System.ClientModel;
using System.Text.Json;
using OpenAI;
using OpenAI.Chat;

var key = Environment.GetEnvironmentVariable("CITEWIRE_API_KEY")!;
var options = new OpenAIClientOptions { Endpoint = new Uri("http://127.0.0.1:3978/v1") };
var client = new ChatClient("docs", new ApiKeyCredential(key), options);

ClientResult<ChatCompletion> answer = await client.CompleteChatAsync("How do I put citewire behind Open WebUI?");
Console.WriteLine(answer.Value.Content[0].Text);

using var raw = JsonDocument.Parse(answer.GetRawResponse().Content.ToMemory());
if (raw.RootElement.TryGetProperty("citations", out var citations))
    Console.WriteLine(citations.GetProperty("sources"));
