import ActorFlow
import ActorFlowHosting
import FlowStores
import Foundation
import Testing

@testable import FlowOperator

@Suite("The tool on the store of a stopped service", .timeLimit(.minutes(5))) struct StoreTests {
  /// Makes a directory for the test, and removes it afterwards.
  private func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("actorflow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private static let delivery = Flow<String, String>("delivery") {
    Step("ask") { (_: String, context: StepContext) in try await context.ask(OperatedShop.Address()) }
  }

  /// Starts flows on a store, and stops the host.
  private func start(_ ids: [String], in place: StorePlace) async throws {
    let (store, close) = try await place.open()
    let host = FlowHost(store: store)
    try await host.register(Self.delivery)
    for id in ids {
      try await host.start("delivery", id: FlowID(id), json: Array(#""tea""#.utf8))
      _ = try await host.flow(FlowID(id)).settled()
    }
    try await host.shutDown()
    await close()
  }

  private func statuses(in place: StorePlace) async throws -> [String: FlowSnapshot.Status] {
    let (store, close) = try await place.open()
    let flows = try await store.list(FlowQuery(), after: nil, limit: 100).flows
    await close()
    return Dictionary(uniqueKeysWithValues: flows.map { ($0.id.description, $0.status) })
  }

  @Test("takes flows from files into a database, where they wait, and passes over those that are there")
  func moves() async throws {
    let terminal = Terminal(environment: ["USER": "cleo"])
    try await inFolder { folder in
      let (old, new) = (
        folder.appendingPathComponent("old").path, "sqlite:\(folder.appendingPathComponent("new.db").path)"
      )
      let database = try #require(StorePlace(new))
      try await start(["a", "b", "c"], in: .files(directory: old))
      let list = await terminal("list", "--store", old)
      #expect(list.code == 0 && list.text.contains("delivery 1") && list.out.count == 4)
      #expect(await terminal("show", "a", "--store", old).text.contains("delivery/ask"))
      #expect(await terminal("history", "a", "--store", old).text.contains("asked"))
      #expect(await terminal("tasks", "--store", old).code == 0)
      let export = await terminal("export", "--store", old, "--page", "2")
      #expect(export.code == 0 && export.out.count == 3)
      let file = folder.appendingPathComponent("flows.jsonl")
      try Data((export.out.joined(separator: "\n") + "\n").utf8).write(to: file)

      let dry = await terminal("import", file.path, "--store", new, "--reason", "to a database")
      #expect(
        dry.code == 0 && dry.out == ["a: delivery 1, waiting", "b: delivery 1, waiting", "c: delivery 1, waiting"])
      #expect(dry.errors.contains("Nothing is imported"))
      #expect(try await statuses(in: database).isEmpty)

      let run = await terminal("import", file.path, "--store", new, "--reason", "to a database", "--apply")
      #expect(run.code == 0 && run.out == ["a", "b", "c"].map { "\($0): suspended, was waiting" })
      #expect(try await statuses(in: database) == ["a": .suspended, "b": .suspended, "c": .suspended])
      #expect(try await statuses(in: .files(directory: old)) == ["a": .waiting, "b": .waiting, "c": .waiting])
      let history = await terminal("history", "a", "--store", new)
      #expect(
        history.text.contains("imported") && history.text.contains("cleo") && history.text.contains("to a database"))

      let again = await terminal("import", file.path, "--store", new, "--reason", "again", "--apply")
      #expect(again.code == 1 && again.errors.contains("a: is there already"))
      let passed = await terminal("import", file.path, "--store", new, "--reason", "x", "--apply", "--skip-existing")
      #expect(passed.code == 0 && passed.errors.contains("0 flows imported, 3 passed over"))
    }
  }

  @Test("writes the operator of --by into the history, and not the user of the machine")
  func operatorOfStore() async throws {
    let terminal = Terminal(environment: ["USER": "cleo"])
    try await inFolder { folder in
      let (old, new) = (folder.appendingPathComponent("old").path, folder.appendingPathComponent("new").path)
      try await start(["a"], in: .files(directory: old))
      let file = folder.appendingPathComponent("flows.jsonl")
      try Data(await terminal("export", "--store", old).text.utf8).write(to: file)
      let run = await terminal("import", file.path, "--store", new, "--by", "ben", "--reason", "moved", "--apply")
      #expect(run.code == 0, "\(run.errors)")
      let history = await terminal("history", "a", "--store", new).text
      #expect(history.contains("ben") && !history.contains("cleo"))
      let service = await terminal("note", "a", "--text", "x", "--by", "ben", "--url", "http://127.0.0.1:1")
      #expect(service.code == 2 && service.errors.contains("--by is for --store"))
    }
  }

  @Test("refuses what needs the code of the flows, a place that is none, and both places at once")
  func refused() async throws {
    let terminal = Terminal(environment: [:])
    try await inFolder { folder in
      let store = folder.appendingPathComponent("old").path
      try await start(["a"], in: .files(directory: store))
      for arguments in [
        ["retry", "a", "--reason", "x"], ["plan"], ["watch"], ["note", "a", "--text", "x"],
        ["purge", "--ended-before", "2026-01-01", "--reason", "x"],
      ] {
        let run = await terminal.run(arguments + ["--store", store])
        #expect(run.code == 2 && run.errors.contains("use it with --url"), "\(arguments)")
      }
      let missing = await terminal("list", "--store", folder.appendingPathComponent("none").path)
      #expect(missing.code == 2 && missing.errors.contains("there is no store at"))
      // The directory around the store's is none, and stays as it is.
      let around = folder.path
      let before = try FileManager.default.contentsOfDirectory(atPath: around)
      #expect(await terminal("list", "--store", around).errors.contains("there is no store at"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: around) == before)
      #expect(await terminal("export", "--store", "sqlite:\(store)-typo.db").errors.contains("there is no store at"))
      #expect(await terminal("list", "--store", "").code == 2)
      #expect(await terminal("list", "--store", store, "--url", "http://127.0.0.1:1").code == 2)
      #expect(
        await terminal("list", "--by", "cleo", "--url", "http://127.0.0.1:1").errors.contains("--by is for --store"))
      let nobody = await terminal("show", "nobody", "--store", store)
      #expect(nobody.code == 1 && nobody.errors.contains("404 noSuchFlow"))
      let (open, close) = try await StorePlace.files(directory: store).open()
      let held = await terminal("list", "--store", store)
      #expect(held.code == 3 && held.errors.contains("cannot be opened"))
      await close()
      _ = open
    }
  }

  @Test("names the line that is damaged, or that a service has exported, and keeps what came before it")
  func damaged() async throws {
    let terminal = Terminal(environment: [:])
    try await inFolder { folder in
      let (old, new) = (folder.appendingPathComponent("old").path, folder.appendingPathComponent("new").path)
      try await start(["a", "b"], in: .files(directory: old))
      let lines = await terminal("export", "--store", old).out
      let file = folder.appendingPathComponent("flows.jsonl")
      for bad in [String(lines[1].dropLast(9)), #"{"flow":{"id":"b"},"history":[]}"#, "nonsense"] {
        try Data("\(lines[0])\n\n\(bad)".utf8).write(to: file)
        let run = await terminal(
          "import", file.path, "--store", new, "--reason", "x", "--apply", "--skip-existing")
        #expect(run.code == 1 && run.errors.contains("line 3 of \(file.path) cannot be read"))
      }
      #expect(try await statuses(in: .files(directory: new)) == ["a": .suspended])
      let none = await terminal("import", "/nowhere.jsonl", "--store", new, "--reason", "x")
      #expect(none.code == 2 && none.errors.contains("/nowhere.jsonl cannot be read"))
    }
  }

  @Test("a service takes what a store has exported, flow by flow, under the name of the token's operator")
  func byService() async throws {
    try await inFolder { folder in
      let old = folder.appendingPathComponent("old").path
      try await start(["x"], in: .files(directory: old))
      let lines = await Terminal(environment: [:])("export", "--store", old).out
      let file = folder.appendingPathComponent("flows.jsonl")
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      let shop = try await OperatedShop()
      try await shop.serve { terminal in
        let run = await terminal("import", file.path, "--reason", "one store", "--apply")
        #expect(run.code == 0 && run.out == ["x: suspended, was waiting"], "\(run.errors)")
        let status = try await shop.status(of: "x")
        #expect(status == .suspended)
        let moved = await terminal("move", "x", "--reason", "to look")
        #expect(moved.code == 0 && moved.out == ["x: suspended at delivery/ask"], "\(moved.errors) \(moved.out)")
      }
    }
  }
}
