import ActorFlow
import ActorFlowHosting
import Foundation
import Testing

@Suite struct FileDamageTests {
  private static let rounds = ProcessInfo.processInfo.environment["ACTORFLOW_FUZZ_ROUNDS"].flatMap(Int.init) ?? 10_000

  private func code(_ work: () async throws -> Void) async -> FlowStoreError.Code? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? FlowStoreError)?.code
    }
  }

  @Test("a flow's file that was cut or changed anywhere is corrupted")
  func file() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    try await store.commit("flow", 1)
    let name = try #require(try folder.files(".flow").first)
    let bytes = try folder.bytes(name)
    for length in 0..<bytes.count {
      try folder.write(Array(bytes.prefix(length)), to: name)
      #expect(await code { _ = try await store.load("flow") } == .corrupted, "cut to \(length)")
    }
    var random = SystemRandomNumberGenerator()
    for round in 0..<Self.rounds {
      var changed = bytes
      // First every byte once, then any.
      let index = round < bytes.count ? round : Int.random(in: 0..<bytes.count, using: &random)
      changed[index] ^= UInt8.random(in: 1...255, using: &random)
      try folder.write(changed, to: name)
      #expect(await code { _ = try await store.load("flow") } == .corrupted, "byte \(index)")
    }
    try folder.write(bytes, to: name)
    #expect(try await store.load("flow")?.snapshot == .numbered(1))
  }

  @Test("a history that was cut or changed anywhere is corrupted, and its flow continues")
  func history() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    for revision in 1...3 { try await store.commit("flow", revision) }
    let name = try #require(try folder.files(".history").first)
    let bytes = try folder.bytes(name)
    let read: () async throws -> Void = { _ = try await store.history(of: "flow", after: 0, limit: 99) }
    for length in 0..<bytes.count {
      try folder.write(Array(bytes.prefix(length)), to: name)
      #expect(await code(read) == .corrupted, "cut to \(length)")
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x20
      try folder.write(changed, to: name)
      #expect(await code(read) == .corrupted, "byte \(index)")
    }
    #expect(try await store.load("flow")?.snapshot == .numbered(3))
    try await store.commit("flow", 4)
    #expect(await code(read) == .corrupted)
    // The bytes behind the committed ones belong to no entry.
    try folder.write(bytes + [1, 2, 3] + bytes, to: name)
    try await store.delete("flow", expecting: Revision(4), fence: nil)
    try await store.commit("flow", 1)
    #expect(try await store.history(of: "flow", after: 0, limit: 99) == [.numbered(1)])
  }

  @Test("leftovers of a crash are removed, and an unreadable file affects no other flow", arguments: [false, true])
  func opening(long: Bool) async throws {
    let folder = try Folder()
    let bad = FlowID(long ? String(repeating: "bad ", count: 100) : "Bad")
    let store = try await folder.open()
    try await store.commit(bad, 1)
    let name = try #require(try folder.files(".flow").first)
    try await store.commit("good", 1)
    await store.close()
    let sound = try folder.bytes(name)
    let left = ["flows/0/half.new", "flows/1/gone.history"]
    for file in left { try folder.write([1, 2, 3], to: file) }
    try folder.write(Array(sound.dropLast(3)), to: name)
    let again = try await folder.open()
    let files = try folder.files()
    for file in left { #expect(!files.contains(file)) }
    #expect(await again.unreadable().map { "flows/" + $0.key } == [name])
    #expect(await again.unreadable().values.map(\.code) == [.corrupted])
    #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["good"])
    #expect(try await again.tasks(TaskQuery(), after: nil, limit: 9).tasks.map(\.flow) == ["good"])
    for work: @Sendable () async throws -> Void in [
      { _ = try await again.load(bad) }, { try await again.commit(bad, 1) }, { try await again.commit(bad, 2) },
      { try await again.delete(bad, expecting: Revision(1), fence: nil) },
      { _ = try await again.history(of: bad, after: 0, limit: 9) },
    ] {
      #expect(await code(work) == .corrupted)
    }
    #expect(try folder.bytes(name) == Array(sound.dropLast(3)))
    try await again.commit("good", 2)
    await again.close()
    try folder.write(sound, to: name)
    let healed = try await folder.open()
    #expect(try await healed.load(bad)?.snapshot == .numbered(1))
    #expect(await healed.unreadable().isEmpty)
  }

  @Test("a file that was unreadable when the store opened is used as soon as it can be read", arguments: [false, true])
  func healed(long: Bool) async throws {
    let folder = try Folder()
    let id = FlowID(long ? String(repeating: "bad ", count: 100) : "Bad")
    let store = try await folder.open()
    try await store.commit(id, 1)
    await store.close()
    let isFailing = Lock(true)
    let again = try await folder.open(
      Disk { operation in
        operation.path.hasSuffix(".flow") && isFailing.withLock { $0 } ? .error(EIO) : nil
      })
    #expect(await again.unreadable().values.map(\.code) == [.unavailable])
    #expect(await code { try await again.commit(id, 1) } == .unavailable)
    isFailing.withLock { $0 = false }
    #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows == [])
    #expect(try await again.load(id)?.snapshot == .numbered(1))
    #expect(try await again.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == [id])
    #expect(await again.unreadable().isEmpty)
    try await again.commit(id, 2)
    #expect(try folder.files(".flow").count == 1)
  }

  @Test("a valid file under another flow's name, or a missing one, is corrupted")
  func moved() async throws {
    let folder = try Folder()
    let store = try await folder.open()
    try await store.commit("one", 1)
    let name = try #require(try folder.files(".flow").first)
    let other = try folder.bytes(name)
    try await store.commit("two", 1)
    let second = try #require(try folder.files(".flow").first { $0.hasSuffix("two.flow") })
    try folder.write(other, to: second)
    #expect(await code { _ = try await store.load("two") } == .corrupted)
    try FileManager.default.removeItem(atPath: folder.path + "/store/" + name)
    #expect(await code { _ = try await store.load("one") } == .corrupted)
    #expect(await code { try await store.commit("one", 2) } == .corrupted)
    await store.close()
    let again = try await folder.open()
    #expect(await code { _ = try await again.load("two") } == .corrupted)
    #expect(await code { _ = try await again.load("one") } == .corrupted)
  }
}
