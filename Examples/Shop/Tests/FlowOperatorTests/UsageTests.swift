import ActorFlowWeb
import ArgumentParser
import Foundation
import Synchronization
import Testing

@testable import FlowOperator

@Suite("The command line", .timeLimit(.minutes(2))) struct UsageTests {
  /// A terminal whose service is on a port that nothing listens on: no request is sent in these tests.
  private let terminal = Terminal(environment: ["ACTORFLOW_URL": "http://127.0.0.1:1"])

  @Test(
    "is refused with exit code 2, before anything is sent",
    arguments: [
      ["unknown"], ["list", "--colour", "red"], ["list", "--limit", "0"], ["list", "--label", "owner"],
      ["list", "--status", ""], ["show"], ["history", "a", "--after", "-1"], ["watch", "--every", "0"],
      ["export", "--page", "101"], ["retry", "a"], ["retry", "--reason", "x"], ["retry", "a", "--reason", " "],
      ["retry", "a", "--status", "suspended", "--reason", "x"], ["retry", "a", "--all", "--reason", "x"],
      ["retry", "--all", "--status", "suspended", "--reason", "x"], ["retry", "a", "--limit", "1", "--reason", "x"],
      ["note", "a", "--text", ""], ["reassign", "a", "--question", "1", "--reason", "x"],
      ["complete", "a", "step", "--output", "{", "--reason", "x"],
      ["complete", "a", "step", "--output", "@/none/such", "--reason", "x"], ["purge", "--reason", "x"],
      ["purge", "--ended-before", "2026-01-01"], ["note", "a", "--text", "x", "--key", "a b"],
      ["list", "--url", "shop.example"], ["list", "--url", "ftp://shop.example"], ["list", "--timeout", "0"],
      ["list", "--url", "http://ann:secret@127.0.0.1:1"], ["list", "--url", "http://127.0.0.1:1/?a=b"],
      ["list", "--token-file", "/none/such"], ["list", "--token-file", "/dev/null"], ["list", "--cookie", "a=b"],
    ]) func usage(_ arguments: [String]) async
  {
    let run = await terminal.run(arguments)
    #expect(run.code == 2 && run.out.isEmpty && !run.notes.isEmpty)
    #expect(!run.errors.contains("secret") && !run.errors.contains("not reached"))
  }

  @Test("needs a service, and says how to name it")
  func noService() async {
    let run = await Terminal(environment: [:])("list")
    #expect(run.code == 2 && run.errors == "Error: no service is named: give --url ADDRESS, or set ACTORFLOW_URL")
  }

  @Test("describes itself and each command")
  func help() async {
    let root = await terminal("--help")
    #expect(root.code == 0 && root.text.contains("Exit codes: 0 done"))
    #expect(await terminal().out == root.out)
    for command in ActorFlowCommand.configuration.subcommands {
      let name = command._commandName
      let help = await terminal(name, "--help")
      #expect(help.code == 0 && help.text.contains("OVERVIEW: ") && help.text.contains("--token-file"), "\(name)")
      #expect(root.text.contains("  \(name) "))
    }
  }

  @Test("gives the token to the service alone: as a bearer token or as a cookie, from a variable or a file")
  func token() async throws {
    let headers = Mutex<[WebHeaders]>([])
    let respond: @Sendable (WebRequest) async -> WebResponse = { request in
      headers.withLock { $0.append(request.headers) }
      return WebResponse(status: 200, body: .bytes(Array(#"{"flows":[]}"#.utf8)))
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("token-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }  // a file that is left over does no harm
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data("t-file\n".utf8), attributes: [.posixPermissions: 0o600]))
    try await Terminal.serve(respond, token: "t-variable") { terminal in
      #expect(await terminal("list").notes.isEmpty)
      #expect(await terminal("list", "--token-file", file.path).notes.isEmpty)
      #expect(await terminal("list", "--cookie", "session", with: ["ACTORFLOW_TOKEN_FILE": file.path]).code == 0)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
      let open = await terminal("list", "--token-file", file.path)
      #expect(open.code == 0 && open.errors == "Warning: others may read the token file \(file.path): chmod 600 it")
    }
    let seen = headers.withLock { $0 }
    #expect(seen.map { $0["Authorization"] } == ["Bearer t-variable", "Bearer t-file", nil, "Bearer t-file"])
    #expect(seen[2]["Cookie"] == "session=t-file" && seen[2]["Sec-Fetch-Site"] == "same-origin")
    #expect(seen[0]["Sec-Fetch-Site"] == nil)
  }

  @Test("does not send a token to another machine without encryption, unless told to, and never shows it")
  func unencrypted() async {
    let elsewhere = ["ACTORFLOW_URL": "http://shop.example:8080", "ACTORFLOW_TOKEN": "secret"]
    let run = await terminal("list", with: elsewhere)
    #expect(run.code == 2 && run.errors.contains("use https, or --plain-http") && !run.errors.contains("secret"))
    let malformed = await terminal("list", with: ["ACTORFLOW_TOKEN": "secret\nX-Role: operators"])
    #expect(malformed.code == 2 && malformed.errors.contains("ACTORFLOW_TOKEN has no token"))
    #expect(!malformed.errors.contains("secret"))
  }

  @Test("reads an output as JSON with all of its digits, also from a file")
  func values() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }  // a file that is left over does no harm
    try Data(#"{"cents": 12345678901234567890.10}"#.utf8).write(to: file)
    var body = RequestBody(reason: "a \"b\"")
    body.set("output", json: try RequestBody.value("@\(file.path)", of: "--output"))
    #expect(body.json == #"{"reason":"a \"b\"","output":{"cents": 12345678901234567890.10}}"#)
    let failure = #expect(throws: ToolFailure.self) { try RequestBody.value("{secret", of: "--output") }
    #expect(failure?.status == 2 && failure?.message.contains("secret") == false)
  }

  @Test("ends with exit code 1 when its output is closed")
  func closed() async throws {
    let respond: @Sendable (WebRequest) async -> WebResponse = { _ in
      WebResponse(status: 200, body: .bytes(Array(#"{"lines":["a"]}"#.utf8)))
    }
    try await Terminal.serve(respond, token: nil) { terminal in
      let console = Console(out: { _ in throw Console.Closed() }, notes: { _ in })
      #expect(await Tool.run(["plan"], environment: terminal.environment, console: console) == 1)
    }
  }
}
