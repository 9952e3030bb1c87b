import ActorFlow
import ActorFlowHosting
import ActorFlowTesting
import Foundation
import Testing

@testable import ApprovalFlow

/// The sent messages, in order, without repetitions.
actor Letters: Post {
  private var keys: Set<String> = []
  private(set) var all: [String] = []

  func send(_ notice: Notice) {
    if keys.insert(notice.key).inserted { all.append("\(notice.to): \(notice.text)") }
  }

  func to(_ name: String) -> [String] { all.filter { $0.hasPrefix("\(name): ") } }
}

/// A company with expenses, over days that take no time.
struct Company {
  let tester: HostTester
  let expenses: DeployedFlow<Claim, Verdict>
  let letters: Letters
  let staff: Staff

  static let day = Duration.seconds(86_400)

  /// The office of the current host.
  var office: Office { Office(host: tester.host, expenses: expenses.hosted, staff: staff) }

  static func open(_ body: (Company) async throws -> Void) async throws {
    let (clock, letters) = (ManualWallClock(), Letters())
    try await testHost(clock: clock) { tester in
      let expenses = try await tester.deploy(ExpenseFlow.make(post: letters, clock: clock))
      let staff = try Staff(["ann", "bob", "carol", "dave", "erin"])
      try await body(Company(tester: tester, expenses: expenses, letters: letters, staff: staff))
    }
  }

  @discardableResult
  func submit(_ cents: Int = 12_990, boss: String? = nil) async throws -> FlowID {
    let claim = try Claim(
      submitter: "ann", amount: Amount(cents: cents), purpose: "a train to Kiel", approvers: ("bob", "carol"),
      boss: boss, staff: staff)
    let id = try await office.submit(claim)
    try await tester.settle()
    return id
  }

  func decide(_ id: FlowID, by name: String, _ approves: Bool = true, _ comment: String = "") async throws {
    try await office.decide(id, by: name, Ballot(approves: approves, comment: comment))
    try await tester.settle()
  }

  func delegate(_ id: FlowID, from: String, to: String) async throws {
    try await office.delegate(id, from: from, to: to)
    try await tester.settle()
  }

  func inbox(_ name: String) async throws -> [String] {
    try await office.inbox(of: name).map { "\($0.expense) \($0.seat.rawValue)" }
  }

  /// The trail's sentences.
  func trail(_ id: FlowID) async throws -> [String] { try await office.trail(of: id).lines.map(\.text) }
}

/// The sentence with which a request is refused.
func refusal(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch { return "\(error)" }
}
