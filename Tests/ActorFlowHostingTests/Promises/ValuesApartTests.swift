import ActorFlowTesting
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

@Suite("Values apart from the body", .timeLimit(.minutes(15))) struct ValuesApartTests {
  private let clock = ManualWallClock()
  /// An input of 64 KiB as JSON.
  private let input = String(repeating: "i", count: (64 << 10) - 2)

  /// Hands its input on, after a small answer.
  private static func passing(_ name: String) -> Step<String, String> {
    Step(name) { (input: String, context: StepContext) in
      _ = try await context.ask(Form(text: name))
      return input
    }
  }

  private static let names = (1...12).map { "step\($0)" }

  private static let flow = Flow<String, String>("long") { for name in names { passing(name) } }

  /// The writes that a store gets.
  private final class Writes: Sendable {
    private let writes = Lock<[FlowWrite]>([])
    var all: [FlowWrite] { writes.withLock { $0 } }
    func add(_ write: FlowWrite) { writes.withLock { $0.append(write) } }
  }

  private func options(_ format: Int? = nil, _ codec: (any BodyCodec)? = nil) -> FlowHost.Options {
    var options = FlowHost.Options()
    (options.writesFormat, options.codec) = (format, codec)
    return options
  }

  /// Starts a flow with the large input and gives all answers.
  private func run(on store: any FlowStore, after answer: () -> Void = {}) async throws -> Outcome<String> {
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(Self.flow)
    try await flows.start(id: "f", with: input)
    _ = try await host.flow("f").settled()
    for _ in Self.names {
      try await host.answerNext("f", #""yes""#)
      answer()
    }
    return try await flows.outcome(of: "f")
  }

  // MARK: - Cost

  @Test("each answer of a flow with a 64 KiB input hands at most 8 KiB to the store; with all in the body it is more")
  func handed() async throws {
    for isApart in [true, false] {
      let writes = Writes()
      let store = PlainStore(
        base: MemoryFlowStore(clock: clock), keepsValuesApart: isApart, onWrite: { writes.add($0) })
      #expect(try await run(on: store) == .finished(input))
      let bytes = writes.all.map { write in
        write.newValues.reduce(write.snapshot.encodedWithoutValues().count) { $0 + $1.bytes.count }
          + write.history.count * 64
      }
      let answers = bytes.dropFirst(2)
      #expect(answers.count >= Self.names.count - 1)
      if isApart {
        #expect(answers.allSatisfy { $0 <= 8 << 10 }, "\(bytes)")
        #expect(writes.all.allSatisfy { $0.snapshot.values.count == 1 }, "equal values are one")
      } else {
        #expect(answers.allSatisfy { $0 > 64 << 10 }, "\(bytes)")
      }
    }
  }

  @Test("the log writes at most 8 KiB to the disk for each answer, and the input once")
  func written() async throws {
    let files = SimulatedFiles(seed: 1)
    let bytes = Lock(0)
    let disk = Disk(files) { operation in
      if operation.kind == .write { bytes.withLock { $0 += operation.count } }
      return nil
    }
    let store = try await FileFlowStore(directory: "/store", clock: clock, disk: disk)
    let counts = Lock<[Int]>([])
    #expect(
      try await run(on: store) {
        let count = bytes.withLock { bytes in
          defer { bytes = 0 }
          return bytes
        }
        counts.withLock { $0.append(count) }
      } == .finished(input))
    let all = counts.withLock { $0 }
    #expect(all.first ?? 0 > 64 << 10, "with the start")
    #expect(all.dropFirst().allSatisfy { $0 <= 8 << 10 }, "\(all)")
    await store.close()
  }

  // MARK: - What is written

  @Test("equal values have one number, small ones stay in the body, and what nothing names is dropped")
  func numbers() async throws {
    let store = MemoryFlowStore(clock: clock)
    let large = String(repeating: "large ", count: 100)
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(
      Flow<String, String>("f") {
        Step("make") { (input: String, context: StepContext) in
          try await context.once("made") { _ in input + large }
        }
        Step("ask") { (input: String, context: StepContext) in
          _ = try await context.ask(Form(text: input))
          return "small"
        }
        Step("end") { (input: String, context: StepContext) in
          _ = try await context.ask(Form(text: "again"))
          return input
        }
      })
    try await flows.start(id: "f", with: "-")
    _ = try await host.flow("f").settled()
    var row = try #require(try await store.load("f")).snapshot
    // The result of the `once` is the step's output; the prompt contains it and is another value.
    #expect(row.values.count == 2)
    #expect(row.body.count < 1_000 && row.format == Int(MachineSnapshot.format))
    let known = row.valueNumbers
    try await host.answerNext("f", #""\#(String(repeating: "a", count: 400))""#)
    row = try #require(try await store.load("f")).snapshot
    #expect(row.values.count == 1, "the prompt and the answer are gone with the question and the visit")
    #expect(row.valueNumbers.isSubset(of: known))
    try await host.answerNext("f", #""end""#)
    #expect(try await flows.outcome(of: "f") == .finished("small"))
  }

  @Test("a number that is free again is not used for another value")
  func freeNumbers() throws {
    var state = HostedState(startedAt: clock.now, input: PackedValue(type: "A", bytes: [1, 2, 3]))
    var snapshot = FlowSnapshot(definition: "f", version: 1, status: .waiting)
    var seen: [Int: [UInt8]] = [:]
    for round in 0..<50 {
      state.input.bytes = [UInt8(round % 7), 1, 2]
      state.machine.output = round % 3 == 0 ? nil : PackedValue(type: "B", bytes: [UInt8(round), 9, 9])
      try state.write(to: &snapshot, apart: 1, with: .plain)
      #expect(snapshot.values.count == (state.machine.output == nil ? 1 : 2))
      for value in snapshot.values {
        #expect(seen.updateValue(value.bytes, forKey: value.number) ?? value.bytes == value.bytes)
      }
      let read = try HostedState(of: snapshot)
      #expect(read == state)
      state = read
    }
    #expect(seen.count > 30)
    snapshot.values.removeLast()
    let error = #expect(throws: FlowStoreError.self) { try HostedState(of: snapshot) }
    #expect(error?.code == .corrupted)
  }

  @Test("a state is the same with its values apart, in the body, and in the format before")
  func random() throws {
    for seed in 1...200 as ClosedRange<UInt64> {
      var random = RandomState(seed: seed)
      var state = HostedState(
        startedAt: clock.now, input: PackedValue(type: "A", bytes: [1, 2, 3]), machine: random.snapshot())
      for least in [1, 3, Int.max] {
        var snapshot = FlowSnapshot(definition: "f", version: 1, status: .waiting)
        try state.write(to: &snapshot, apart: least, with: .plain)
        #expect(try HostedState(of: snapshot).machine == state.machine, "seed \(seed)")
        #expect(try FlowSnapshot(decoding: snapshot.encoded()) == snapshot)
        #expect(
          try FlowSnapshot(decoding: snapshot.encodedWithoutValues(), values: snapshot.values.reversed()) == snapshot)
        #expect(snapshot.values.isEmpty == (least == .max))
        guard !snapshot.values.isEmpty else { continue }
        let error = #expect(throws: FlowStoreError.self) {
          try FlowSnapshot(decoding: snapshot.encodedWithoutValues())
        }
        #expect(error?.code == .corrupted)
      }
    }
  }

  // MARK: - Formats and stores

  @Test("a flow of an earlier format gets its values apart once the format is raised, and no host lowers that")
  func raised() async throws {
    let store = MemoryFlowStore(clock: clock)
    let old = try FlowHost(store: store, clock: clock, options: options(6))
    try await old.register(Self.flow).start(id: "f", with: input)
    try await old.answerNext("f", #""1""#)
    try await old.emptied()
    #expect(try #require(try await store.load("f")).snapshot.values.isEmpty)
    for (number, format) in [nil, 7, 6, nil].enumerated() {
      let host = try FlowHost(store: store, clock: clock, options: options(format))
      try await host.register(Self.flow)
      for _ in 0..<2 { try await host.answerNext("f", #""2""#) }
      try await host.emptied()
      let row = try #require(try await store.load("f")).snapshot
      #expect(row.format == (number == 0 ? 6 : 7))
      #expect(row.values.count == (number == 0 ? 0 : 1))
    }
  }

  @Test("a store that does not keep values apart any more gets them in the body, and the other way round")
  func changedStore() async throws {
    let base = MemoryFlowStore(clock: clock)
    let other = FlowHost(store: base, clock: clock)
    let flows = try await other.register(Self.flow)
    try await flows.start(id: "f", with: input)
    try await other.emptied()
    for number in Self.names.indices {
      let isApart = number % 2 == 0
      let host = FlowHost(store: PlainStore(base: base, keepsValuesApart: isApart), clock: clock)
      let flows = try await host.register(Self.flow)
      try await host.answerNext("f", #""1""#)
      try await host.emptied()
      let row = try #require(try await base.load("f")).snapshot
      #expect(row.values.count == (isApart ? 1 : 0))
      #expect((row.body.count > 64 << 10) == !isApart)
      if number == Self.names.count - 1 { #expect(try await flows.outcome(of: "f") == .finished(input)) }
    }
  }

  // MARK: - Codec

  /// Makes other bytes of equal ones each time.
  private final class SaltingCodec: BodyCodec {
    private let count = Lock(0)
    var calls: Int { count.withLock { $0 } }

    func encode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
      let salt = count.withLock { count in
        count += 1
        return UInt8(truncatingIfNeeded: count)
      }
      return [salt] + body.map { $0 ^ 0xA5 ^ salt }
    }

    func decode(_ body: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
      guard let salt = body.first else { throw Boom() }
      return body.dropFirst().map { $0 ^ 0xA5 ^ salt }
    }
  }

  @Test("the codec encodes each value once, when it is new, and another host decodes it")
  func codec() async throws {
    let codec = SaltingCodec()
    let store = MemoryFlowStore(clock: clock)
    var stored: Set<FlowValue> = []
    for number in Self.names.indices {
      let host = try FlowHost(store: store, clock: clock, options: options(nil, codec))
      let flows = try await host.register(Self.flow)
      if number == 0 { try await flows.start(id: "f", with: input) }
      try await host.answerNext("f", #""1""#)
      try await host.emptied()
      let row = try #require(try await store.load("f")).snapshot
      stored.formUnion(row.values)
      #expect(row.values.count == 1 && !row.values[0].bytes.contains(Array("iiii".utf8)))
      if number == Self.names.count - 1 { #expect(try await flows.outcome(of: "f") == .finished(input)) }
    }
    #expect(stored.count == 1, "the stored bytes never change")
  }

  // MARK: - Faults

  @Test("at every commit, a lost reply or a store that fails loses no value", arguments: [false, true])
  func faults(isLost: Bool) async throws {
    var (number, isReached) = (0, true)
    while isReached {
      number += 1
      let base = MemoryFlowStore(clock: clock)
      let store = FaultyStore(base, at: number, of: .commit, isLost ? .loseAcknowledgement : .fail(.unavailable))
      let host = FlowHost(store: store, clock: clock)
      let flows = try await host.register(Self.flow)
      for _ in 0..<40 {
        do {
          try await flows.start(id: "f", with: input)
          if case .finished = try await flows.outcome(of: "f") { break }
          let question = try await host.flow("f").settled().questions.first
          if let question {
            try await host.flow("f").answer(question.id, with: "1")
          } else {
            clock.advance(by: .seconds(60))
            try await host.catchUp()
          }
        } catch {
          // The request is made again.
          clock.advance(by: .seconds(60))
        }
      }
      #expect(try await flows.outcome(of: "f") == .finished(input), "the commit \(number)")
      isReached = store.count(of: .commit) >= number
      try await host.emptied()
    }
    #expect(number > Self.names.count)
  }

  @Test("a flow that is deleted and started again has its own values; an erased one leaves no byte on the disk")
  func deleted() async throws {
    let files = SimulatedFiles(seed: 1)
    let store = try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(files), segmentBytes: 50_000)
    let host = FlowHost(store: store, clock: clock)
    let flows = try await host.register(Self.flow)
    let secret = String(repeating: "secret", count: 1_000)
    let has = { files.contents().values.contains { $0.contains(Array("secret".utf8)) } }
    for input in [secret, input] {
      try await flows.start(id: "f", with: input)
      try await host.answerNext("f", #""1""#)
      try await host.emptied()
      #expect(try #require(try await store.load("f")).snapshot.values.map(\.bytes.count) == [input.utf8.count + 2])
      #expect(has() == (input == secret))
      try await host.flow("f").delete()
      #expect(has() == (input == secret))
      try await store.erase("f")
      #expect(!has())
    }
    await store.close()
  }

  @Test("a damaged value makes its flow corrupted, also when the store is opened, and no other")
  func damaged() async throws {
    let files = SimulatedFiles(seed: 1)
    let disk = Disk(files)
    var store = try await FileFlowStore(directory: "/store", clock: clock, disk: disk)
    for id: FlowID in ["bad", "good"] {
      for revision in 1...3 { try await store.commit(id, revision) }
    }
    let place = try #require(store.state.withLock { $0.log["bad"]?.values[2]?.place })
    let name = Manifest.segmentName(Int(place.segment))
    let path = try #require(files.contents().keys.first { $0.hasSuffix(name) })
    var bytes = try #require(files.contents()[path])
    bytes[Int(place.offset)] ^= 1
    files.set(bytes, at: path)
    for isOpened in [false, true] {
      if isOpened {
        await store.close()
        store = try await FileFlowStore(directory: "/store", clock: clock, disk: disk)
      }
      let error = await #expect(throws: FlowStoreError.self) { try await store.load("bad") }
      #expect(error?.code == .corrupted)
      #expect(try await store.load("good")?.snapshot == .numbered(3))
      #expect(await store.unreadable().keys.contains("bad"))
      let refused = await #expect(throws: FlowStoreError.self) { try await store.commit("bad", 4) }
      #expect(refused?.code == .corrupted)
    }
    try await store.giveUp("bad")
    try await store.commit("bad", 1)
    #expect(try await store.load("bad")?.snapshot == .numbered(1))
    await store.close()
  }

  @Test("a write that counts on a value that is not stored is refused, and changes nothing", arguments: [false, true])
  func missing(onFiles: Bool) async throws {
    let files = try await FileFlowStore(directory: "/store", clock: clock, disk: Disk(SimulatedFiles(seed: 1)))
    let store: any FlowStore = onFiles ? files : MemoryFlowStore(clock: clock)
    try await store.commit("f", 1)
    for number in [5, 2] {
      let error = await #expect(throws: FlowStoreError.self) {
        try await store.commit(
          FlowWrite(
            .numbered(number), to: "f", expecting: Revision(1), over: FlowSnapshot.numbered(number).valueNumbers))
      }
      #expect(error?.code == .conflict)
    }
    #expect(try await store.load("f")?.snapshot == .numbered(1))
    try await store.commit("f", 2)
    #expect(try await store.load("f")?.snapshot == .numbered(2))
    await files.close()
  }
}
