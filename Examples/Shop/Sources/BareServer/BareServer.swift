import ArgumentParser
import Hummingbird
import Logging

/// The floor of the load test: a route of Hummingbird's own that returns a text of a page's size, and one that takes a body.
@main
struct BareServer: AsyncParsableCommand {
  @Option(help: "The port to listen on.") var port = 8081
  @Option(help: "The number of bytes of a page.") var bytes = 4_096

  func run() async throws {
    let page = String(repeating: "x", count: max(0, bytes))
    let router = Router()
    router.get("/") { _, _ in page }
    router.post("/") { request, _ in
      _ = try await request.body.collect(upTo: 65_536)
      return page
    }
    var logger = Logger(label: "bare")
    logger.logLevel = .error
    let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
    try await Application(router: router, configuration: configuration, logger: logger).runService()
  }
}
