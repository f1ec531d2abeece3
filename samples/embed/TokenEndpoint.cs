// Serves page.html, and gives it tokens for the chat at POST /token: Program.cs of `dotnet new web`. The guide is docs/start/embed.md.
var site = Environment.GetEnvironmentVariable("SITE") ?? "http://127.0.0.1:8080";
var secret = Environment.GetEnvironmentVariable("CITEWIRE_DIRECT_LINE_SECRET");
var citewire = new HttpClient { BaseAddress = new Uri(Environment.GetEnvironmentVariable("CITEWIRE_URL")!) };
citewire.DefaultRequestHeaders.Authorization = new("Bearer", secret);

var app = WebApplication.CreateBuilder(args).Build();
app.MapGet("/", () => Results.File(Path.GetFullPath("page.html"), "text/html"));
app.MapPost("/token", async () =>
{
    // Put here how your site knows who is signed in, and give nobody else a token.
    var user = new { id = "dl_ann", name = "Ann" };
    var answer = await citewire.PostAsJsonAsync("/v3/directline/tokens/generate", new { user, trustedOrigins = new[] { site } });
    if (!answer.IsSuccessStatusCode) return Results.Json(new { detail = "There is no token for the chat at the moment." }, statusCode: 502);
    return Results.Text(await answer.Content.ReadAsStringAsync(), "application/json");
});
app.Run(site);
