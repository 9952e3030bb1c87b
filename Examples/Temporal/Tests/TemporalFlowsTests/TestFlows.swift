import ActorFlow
import ActorFlowHosting
import Synchronization
import TemporalExample

/// The flows of the tests.
enum TestFlows {
  static let noted = Signal<String>("noted")

  /// Asks until the answer is zero or below.
  static let counting: Flow<Int, Int> = Flow("counting") {
    Loop { Step("count") { CountingStep() } }
  }

  /// Waits a while for a signal.
  static func patient(_ time: Duration) -> Flow<String, String> {
    Flow("patient") { Step("wait") { PatientStep(time) } }
  }

  /// Does something that takes long, then asks.
  static func slow(_ time: Duration, _ calls: Counter) -> Flow<String, String> {
    Flow("slow") { Step("work") { SlowStep(time, calls) } }
  }

  /// Works until it is cancelled.
  static func busy(_ calls: Counter) -> Flow<String, String> {
    Flow("slow") { Step("work") { BusyStep(calls) } }
  }

  /// Fails until it is told not to.
  static func failing(_ works: Switch) -> Flow<String, String> {
    Flow("failing") { Step("try") { FailingStep(works) } }.onFailure(.suspend)
  }

  /// Asks, charges, and asks again; the charge is refunded only if it is told so.
  static func charging(_ refunds: Switch) -> Flow<String, String> {
    Flow("charging") {
      Step("card") { CollectingStep() }
      Step("pay") { ChargingStep(refunds) }
      Step("sign") { CollectingStep() }
    }
  }

  /// Collects texts, which its state has all.
  static let collecting: Flow<String, String> = Flow("collecting") {
    Step("first") { CollectingStep() }
    Step("second") { CollectingStep() }
    Step("third") { CollectingStep() }
  }
}

final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

final class Switch: Sendable {
  private let isOn = Mutex(false)
  var value: Bool { isOn.withLock { $0 } }
  func turnOn() { isOn.withLock { $0 = true } }
}

/// A codec that changes nothing, and fails until it is switched on.
struct SwitchedCodec: BodyCodec {
  struct Away: Error {}
  let isThere: Switch
  func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { try passed(bytes) }
  func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { try passed(bytes) }
  private func passed(_ bytes: [UInt8]) throws -> [UInt8] {
    guard isThere.value else { throw Away() }
    return bytes
  }
}

struct NumberForm: Prompt, Codable {
  typealias Answer = Int
  static let promptName = "number"
  var sum: Int
}

actor CountingStep: FlowStep {
  func proceed(_ sum: Int, context: StepContext) async throws -> Again<Int, Int> {
    let next = try await context.ask(NumberForm(sum: sum))
    return next > 0 ? .again(sum + next) : .done(sum)
  }
  func backUp(context: RollbackContext) {}
}

actor PatientStep: FlowStep {
  let time: Duration
  init(_ time: Duration) { self.time = time }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    try await context.wait(for: TestFlows.noted, within: time) ?? "nothing came"
  }
  func backUp(context: RollbackContext) {}
}

actor SlowStep: FlowStep {
  let (time, calls): (Duration, Counter)
  init(_ time: Duration, _ calls: Counter) { (self.time, self.calls) = (time, calls) }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    let done = try await context.once("work") { [time, calls] _ in
      calls.add()
      try await Task.sleep(for: time)
      return "done"
    }
    return try await context.ask(LineForm(asks: done))
  }
  func backUp(context: RollbackContext) {}
}

actor BusyStep: FlowStep {
  let calls: Counter
  init(_ calls: Counter) { self.calls = calls }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    calls.add()
    try await Task.sleep(for: .seconds(600))
    return input
  }
  func backUp(context: RollbackContext) {}
}

actor FailingStep: FlowStep {
  struct NotYet: Error {}
  let works: Switch
  init(_ works: Switch) { self.works = works }
  func proceed(_ input: String, context: StepContext) async throws -> String {
    guard works.value else { throw NotYet() }
    return input
  }
  func backUp(context: RollbackContext) {}
}

actor ChargingStep: FlowStep {
  let refunds: Switch
  init(_ refunds: Switch) { self.refunds = refunds }
  func proceed(_ text: String, context: StepContext) async throws -> String {
    _ = try await context.once("charge") { _ in true }
    return text
  }
  func backUp(context: RollbackContext) throws {
    guard refunds.value else { throw FailingStep.NotYet() }
  }
}

actor CollectingStep: FlowStep {
  func proceed(_ text: String, context: StepContext) async throws -> String {
    text + (try await context.ask(LineForm(asks: "text")))
  }
  func backUp(context: RollbackContext) {}
}
