import ActorFlow
import ActorFlowHosting
import ActorFlowWeb
import AsyncHTTPClient
import Foundation
import NIOCore
import Shop
import Synchronization
import Testing

@testable import FlowOperator

@Suite("Refusals", .timeLimit(.minutes(2))) struct RefusalTests {
  @Test("of the service have exit code 1, its reason and a remedy")
  func service() async throws {
    let shop = try await OperatedShop()
    try await shop.deliver("a")
    try await shop.serve { terminal in
      let address = terminal.environment["ACTORFLOW_URL"] ?? ""
      let retry = await terminal("retry", "a", "--reason", "x")
      #expect(retry.code == 1 && retry.out.isEmpty)
      #expect(retry.errors.hasPrefix("Error: \(address) refused this, 409 notSuspended: "))
      #expect(await terminal("show", "none").errors.contains("404 noSuchFlow"))
      #expect(await terminal("list", "--status", "odd").errors.contains("no status has this name; there are runnable"))
      #expect(await terminal("list", "--after", "odd").errors.contains("the cursor is not of this list"))
      let anonymous = await terminal("list", with: ["ACTORFLOW_TOKEN": ""])
      #expect(anonymous.code == 1 && anonymous.errors.contains("Give the operator's token with --token-file"))
      let wrong = await terminal("list", with: ["ACTORFLOW_TOKEN": "guessed-secret"])
      #expect(wrong.code == 1 && wrong.errors.contains("does not take this token"))
      #expect(!wrong.errors.contains("guessed-secret"))
    }
  }

  @Test("of a server that is none of ActorFlow's, has no operators' verbs or is elsewhere say so")
  func others() async throws {
    let host = FlowHost(store: MemoryFlowStore())
    let plain = FlowSite(host: host, title: "Site", authenticate: { _ in nil }, allow: { _, _, _ in })
    try await Terminal.serve({ await plain.respond(to: $0) }, token: nil) { terminal in
      let run = await terminal("list")
      #expect(run.code == 1 && run.errors.contains("turn on operators' verbs with `site.admin()`"))
    }
    var admin = FlowSite(
      host: host, title: "Site", authenticate: { _ in Principal(id: "ann") },
      allow: { _, _, _ in throw Refusal.notAllowed("Only operators do this.") })
    admin.admin()
    try await Terminal.serve({ [admin] in await admin.respond(to: $0) }, token: nil) { terminal in
      let run = await terminal("plan")
      #expect(run.errors.contains("403 notAllowed: Only operators do this. The operator has no right"))
    }
    let hello = WebResponse(status: 200, body: .bytes(Array("hello".utf8)))
    try await Terminal.serve({ _ in hello }, token: nil) { terminal in
      for command in ["list", "plan", "export", "watch"] {
        let run = await terminal(command)
        #expect(run.code == 1 && run.errors.contains("has no operators' verbs below /admin"), "\(command)")
        #expect(run.errors.contains("http://127.0.0.1"), "\(command)")
      }
    }
    let redirect = WebResponse(status: 302, headers: ["Location": "https://elsewhere.example/admin"])
    try await Terminal.serve({ _ in redirect }, token: "secret") { terminal in
      #expect(await terminal("list").errors.contains("leads to another address, status 302"))
    }
  }

  @Test("of a connection have exit code 3: a server that is away, a host that does not exist")
  func away() async throws {
    let closed = Mutex<Terminal?>(nil)
    try await Terminal.serve({ _ in WebResponse(status: 200) }, token: nil) { terminal in
      closed.withLock { $0 = terminal }
    }
    let terminal = try #require(closed.withLock { $0 })
    for arguments in [
      ["list"], ["watch"], ["retry", "a", "--reason", "x"], ["note", "--all", "--text", "x", "--apply"],
    ] {
      let run = await terminal.run(arguments)
      #expect(run.code == 3 && run.out.isEmpty)
      #expect(run.errors.contains("is not reached: connection refused. Does the service run"))
    }
  }

  @Test("of a connection that ends say whether a change may have been made, and how to repeat it once")
  func lost() async throws {
    try await HTTPClient.withHTTPClient { http in
      let transport = ServiceTransport(
        address: try ServiceAddress("http://127.0.0.1:1", from: "--url"), http: http,
        credential: Credential(token: "secret", cookie: nil), timeout: .seconds(60))
      let admin = AdminClient(transport: transport, hasToken: true)
      let change = admin.failure(of: HTTPClientError.remoteConnectionClosed, isChange: true, key: "k-1")
      #expect(
        change as? ToolFailure
          == .notReached(
            "http://127.0.0.1:1 gave no reply: remote connection closed. The change may have been made. The same command "
              + "with --key k-1 makes it once."))
      let look = admin.failure(of: HTTPClientError.deadlineExceeded, isChange: false, key: nil)
      #expect(
        look as? ToolFailure == .notReached("http://127.0.0.1:1 gave no reply: it has not replied within 60 seconds."))
      let headers = admin.failure(of: HTTPClientError.invalidHeaderFieldValues(["secret"]), isChange: false, key: nil)
      #expect(!"\(headers)".contains("secret") && !"\(admin)".contains("secret"))
      #expect(admin.failure(of: CancellationError(), isChange: true, key: nil) is CancellationError)
    }
  }

  @Test("in the middle of many flows name the cursor and the key to go on with, and these do")
  func middle() async throws {
    let shop = try await OperatedShop()
    for number in 0..<110 { try await shop.deliver("f-\(number)", answering: nil) }
    let requests = Mutex(0)
    let respond: @Sendable (WebRequest) async -> WebResponse = { request in
      let isSecond = requests.withLock { count in
        count += 1
        return count == 2
      }
      guard isSecond else { return await shop.front.respond(to: request) }
      return WebResponse(
        status: 503, headers: ["Retry-After": "7"], body: .bytes(Array(#"{"code":"unavailable"}"#.utf8)))
    }
    try await Terminal.serve(respond, token: shop.sessions.operators.text) { terminal in
      let run = await terminal("note", "--all", "--text", "x", "--apply", "--json")
      #expect(run.code == 1 && run.out.count == 100)
      #expect(run.errors.contains("503 unavailable: no reason given. Try again in 7 seconds"))
      #expect(run.errors.contains("It was reached after 100 flows, 100 done, 0 failed."))
      let key = try #require(run.notes.last?.components(separatedBy: "--key ").last)
      let rest = await terminal(
        "note", "--all", "--text", "x", "--apply", "--json", "--after", try #require(run.cursor), "--key", key)
      #expect(rest.code == 0 && rest.out.count == 10)
      // The whole once more under the key: each flow has its note, and gets no second one.
      let again = await terminal("note", "--all", "--text", "x", "--apply", "--key", key)
      #expect(again.code == 0 && again.notes.last == "note: 110 flows, 110 done, 0 failed")
      for id in ["f-0", "f-50", "f-109"] {
        let history = try await shop.host.flow(FlowID(id)).history()
        #expect(history.count { $0.what == "noted" } == 1, "\(id)")
      }
    }
  }
}
