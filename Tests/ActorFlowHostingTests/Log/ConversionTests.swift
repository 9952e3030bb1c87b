import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("Directories of earlier versions") struct ConversionTests {
  private func code(_ work: () async throws -> Void) async -> FlowStoreError.Code? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? FlowStoreError)?.code
    }
  }

  private func history(_ store: FileFlowStore, _ id: FlowID) async throws -> [HistoryEntry] {
    try await store.history(of: id, after: 0, limit: 999)
  }

  @Test("flows in format 1 are converted, go on, and their files stay until they are removed")
  func converted() async throws {
    let folder = try Folder()
    for id: FlowID in ["one", "two", StoreScript.long] { try OldFiles.write(id, revisions: 3, in: folder) }
    let old = try folder.files(".flow") + folder.files(".history")
    #expect(old.count == 6)
    let store = try await folder.open()
    for id: FlowID in ["one", "two", StoreScript.long] {
      #expect(try await store.load(id)?.snapshot == .numbered(3))
      for revision in 4...6 { try await store.commit(id, revision) }
      for sequence in 0...7 {
        let found = try await store.history(of: id, after: sequence, limit: 99)
        #expect(found == (1...6).filter { $0 > sequence }.map { .numbered($0) })
      }
    }
    #expect(try folder.files(".flow") + folder.files(".history") == old)
    try await store.removeConvertedFiles()
    #expect(try folder.files().filter { $0.hasPrefix("flows") } == [])
    await store.close()
    let again = try await folder.open()
    #expect(try await history(again, "one") == (1...6).map { .numbered($0) })
    #expect(await again.unreadable().isEmpty)
  }

  @Test("a conversion that dies at any call is made anew, and converts everything")
  func interrupted() async throws {
    var number = 0
    var isDone = false
    while !isDone {
      number += 1
      let folder = try Folder()
      for id: FlowID in ["one", "two"] { try OldFiles.write(id, revisions: 2, in: folder) }
      let count = Lock(0)
      let limit = number
      let disk = Disk { _ in
        count.withLock { count in
          count += 1
          return count == limit ? .crash : nil
        }
      }
      if let store = try? await folder.open(disk) {
        await store.close()
        isDone = true
      }
      let store = try await folder.open()
      for id: FlowID in ["one", "two"] { #expect(try await history(store, id) == [.numbered(1), .numbered(2)]) }
      #expect(await store.unreadable().isEmpty)
      await store.close()
    }
    #expect(number > 40)
  }

  @Test(
    "a damaged flow stays damaged when it is converted, its file stays, and it can be given up",
    arguments: [
      "Bad", StoreScript.long,
    ])
  func damaged(id: FlowID) async throws {
    let folder = try Folder()
    for id in [id, "good"] { try OldFiles.write(id, revisions: 2, in: folder) }
    let name = CorpusEntry.path(id, FileName.flow)
    try folder.write(Array(try folder.bytes(name).dropLast(3)), to: name)
    var store = try await folder.open()
    for _ in 0..<2 {
      #expect(await store.unreadable().values.map(\.code) == [.corrupted])
      #expect(try await store.list(FlowQuery(), after: nil, limit: 9).flows.map(\.id) == ["good"])
      for work: () async throws -> Void in [
        { _ = try await store.load(id) }, { try await store.commit(id, 1) }, { try await store.commit(id, 3) },
        { try await store.delete(id, expecting: Revision(2), fence: nil) }, { _ = try await history(store, id) },
      ] {
        #expect(await code(work) == .corrupted)
      }
      await store.close()
      store = try await folder.open()
    }
    try await store.removeConvertedFiles()
    #expect(try folder.files(".flow") == [name])
    #expect(await code { try await store.giveUp("good") } == .conflict)
    try await store.giveUp(id)
    try await store.commit(id, 1)
    #expect(await store.unreadable().isEmpty)
    await store.close()
    let again = try await folder.open()
    #expect(try await again.load(id)?.snapshot == .numbered(1))
    #expect(try await history(again, id) == [.numbered(1)])
  }

  @Test("a history without its flow is a lost flow, and remains of a start are none")
  func lost() async throws {
    let folder = try Folder()
    for id: FlowID in ["lost", "good"] { try OldFiles.write(id, revisions: 2, in: folder) }
    try FileManager.default.removeItem(atPath: "\(folder.path)/store/\(CorpusEntry.path("lost", FileName.flow))")
    try folder.write([1, 2, 3], to: CorpusEntry.path("half", FileName.history))
    try folder.write(OldFiles.history(1...1), to: CorpusEntry.path("begun", FileName.pending))
    let store = try await folder.open()
    #expect(await Array(store.unreadable().keys) == ["lost"])
    #expect(await code { try await store.commit("lost", 1) } == .corrupted)
    for id: FlowID in ["half", "begun"] { try await store.commit(id, 1) }
  }

  @Test("a file of a newer version is unsupportedFormat also after the conversion")
  func newer() async throws {
    let folder = try Folder()
    try OldFiles.write("flow", revisions: 2, in: folder)
    let name = CorpusEntry.path("flow", FileName.flow)
    try folder.write(FlowSnapshot.withNewerFormat(try folder.bytes(name)), to: name)
    for _ in 0..<2 {
      let store = try await folder.open()
      #expect(await code { _ = try await store.load("flow") } == .unsupportedFormat)
      await store.close()
    }
  }

  @Test("a directory whose files cannot be read is not opened, and is converted later")
  func unavailable() async throws {
    let folder = try Folder()
    try OldFiles.write("flow", revisions: 2, in: folder)
    let isFailing = Lock(true)
    let disk = Disk { operation in
      operation.path.hasSuffix(FileName.flow) && isFailing.withLock { $0 } ? .error(EIO) : nil
    }
    #expect(await code { _ = try await folder.open(disk) } == .unavailable)
    isFailing.withLock { $0 = false }
    let store = try await folder.open(disk)
    #expect(try await history(store, "flow") == [.numbered(1), .numbered(2)])
  }

  @Test("a history of another flow is not converted as this one's")
  func swapped() async throws {
    let folder = try Folder()
    for id: FlowID in ["one", "two"] { try LongHistory(records: 3, perRecord: { 1 }, old: 0, id).write(in: folder) }
    let names = ["one", "two"].map { CorpusEntry.path($0, FileName.history) }
    let bytes = try names.map { try folder.bytes($0) }
    try folder.write(bytes[1], to: names[0])
    let store = try await folder.open()
    #expect(try await store.load("one")?.revision == Revision(3))
    #expect(await code { _ = try await history(store, "one") } == .corrupted)
    #expect(try await history(store, "two").count == 3)
    await store.close()
    let again = try await folder.open()
    #expect(await code { _ = try await history(again, "one") } == .corrupted)
  }
}
