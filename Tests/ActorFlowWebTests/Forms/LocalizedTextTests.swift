import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import Testing

@Suite("Texts of the service in several languages", .timeLimit(.minutes(15))) struct LocalizedTextTests {
  @Test("the title, the question, the labels, the help and the buttons are in the language that the client prefers")
  func languages() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let flow = Flow("ask") {
      Step("ask") { (_: String, context: StepContext) in try await context.ask(ListForm()) }
    }
    let asks = try await host.register(flow)
    var site = FlowSite(
      host: host, title: .init("Words", ["de": "Wörter"]), authenticate: { _ in nil }, allow: { _, _, _ in })
    try site.serve(asks, title: .init("Collection", ["de": "Sammlung"]))
    try site.form(
      ListForm.self, title: { _ in .init("Which words?", ["de": "Welche Wörter?"]) },
      fields: [
        FormField("words", label: .init("Words", ["de": "Wörter"]), help: .init("With commas", ["de": "Mit Kommas"])),
        FormField("kind", .choice, choices: [.init("a", .init("All", ["de": "Alle"])), .init("n", "None")]),
      ], buttons: [("send", .init("Send them", ["de": "Absenden"]))]
    ) { _, _ in [] }
    try await asks.start(id: "one", with: "")
    _ = try await host.flow("one").settled()
    func page(_ target: String, _ language: String) async -> String {
      await site.respond(
        to: WebRequest(method: "GET", target: target, headers: ["Accept-Language": language])
      ).text
    }
    let german = [
      "– Wörter</title>", "<h1>Sammlung</h1>", ">Welche Wörter?</h2>", ">Wörter</label>", ">Mit Kommas</span>",
      ">Alle</option>", ">None</option>", ">Absenden</button>",
    ]
    let english = [
      "– Words</title>", "<h1>Collection</h1>", ">Which words?</h2>", ">Words</label>", ">With commas</span>",
      ">All</option>", ">None</option>", ">Send them</button>",
    ]
    for (language, texts) in [("de-CH", german), ("en", english), ("fr", english)] {
      let text = await page("/flows/one", language)
      for expected in texts { #expect(text.contains(expected), "\(language): \(expected)") }
    }
    #expect(await page("/", "de").contains("<a href=\"/start/ask\">Sammlung</a>"))
  }

  @Test("a text has the translation of the page's language, or of the language without its region")
  func choice() {
    let label = LocalizedText("Street", ["de": "Straße"])
    var swiss = Texts.german
    swiss.language = "de-CH"
    #expect(label.text(in: .german) == "Straße" && label.text(in: swiss) == "Straße")
    #expect(label.text(in: .english) == "Street")
    let regional = LocalizedText("Street", ["DE": "Straße", "de-ch": "Strasse"])
    #expect(regional.text(in: swiss) == "Strasse" && regional.text(in: .german) == "Straße")
    #expect(LocalizedText("A", ["DE": "B", "De": "C", "de-CH": "D"]).text(in: .german) == "B")
    #expect(LocalizedText("A", ["DE": "B", "de": "C"]).text(in: swiss) == "C")
    let number = 7
    #expect(("Order \(number)" as LocalizedText).text(in: .german) == "Order 7")
  }
}
