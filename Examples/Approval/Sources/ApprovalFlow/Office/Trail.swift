import ActorFlow
import ActorFlowHosting

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The history of an expense in sentences, with people and times.
package struct Trail: Sendable {
  /// A line of it.
  package struct Line: Sendable, Equatable {
    package let at: Date
    package let text: String
  }

  /// Oldest first.
  package private(set) var lines: [Line] = []
  /// The status, in a few words.
  package private(set) var ending = ""
  /// All people who were asked, or have decided.
  private(set) var people: Set<String> = []
  private var decisions: [String: String] = [:]
  private var late: Set<String> = []
  private var given: Set<String> = []

  init(_ entries: [HistoryEntry], view: FlowView, outcome: Outcome<Verdict>) {
    var holders: [Seat: String] = [:]
    for entry in entries { add(entry, &holders) }
    ending = Self.ending(view, outcome)
    if case .finished(let verdict) = outcome {
      for vote in verdict.votes where !vote.comment.isEmpty {
        lines.append(Line(at: vote.at, text: "\(vote.by) said: \(vote.comment)"))
      }
    }
    lines.append(Line(at: view.changedAt, text: ending))
  }

  /// The decision of a person, as a verb.
  func decision(of name: String) -> String? { decisions[name] }
  /// Whether a person's time is over.
  func missed(_ name: String) -> Bool { late.contains(name) }
  /// Whether a person has handed the seat on.
  func handedOn(_ name: String) -> Bool { given.contains(name) }

  private mutating func add(_ entry: HistoryEntry, _ holders: inout [Seat: String]) {
    let path = entry.step?.path ?? ""
    let seat = Seat(path: path)
    switch entry.what {
    case "launched": tell(entry, "\(entry.by ?? "somebody") submitted it")
    case "asked":
      guard let seat, let holder = Self.assignee(entry) else { return }
      people.insert(holder)
      if let old = holders.updateValue(holder, forKey: seat) {
        given.insert(old)
        tell(entry, "\(old) handed \(seat.title) to \(holder)")
      } else {
        tell(entry, "\(holder) was asked, for \(seat.title)")
      }
      given.remove(holder)
    case "moved": moved(entry, seat, path, holders)
    case "failed", "suspended", "unmigrated": tell(entry, "it is suspended: \(entry.detail ?? "a step failed")")
    default: break
    }
  }

  private mutating func moved(_ entry: HistoryEntry, _ seat: Seat?, _ path: String, _ holders: [Seat: String]) {
    guard let seat, let holder = holders[seat] else { return }
    switch path.split(separator: "/").last {
    case "approved", "rejected":
      let decision = path.hasSuffix("approved") ? "approved" : "rejected"
      decisions[holder] = decision
      tell(entry, "\(holder) \(decision) it")
    case "silent":
      late.insert(holder)
      tell(entry, "\(holder) did not decide in time")
    default: break
    }
  }

  private mutating func tell(_ entry: HistoryEntry, _ text: String) {
    lines.append(Line(at: entry.at, text: text))
  }

  /// Returns the assignee of a question, which the history has behind the question's id.
  private static func assignee(_ entry: HistoryEntry) -> String? {
    let words = (entry.detail ?? "").split(separator: " ").suffix(2).map(String.init)
    return words.count == 2 && words[0] == "for" ? words[1] : nil
  }

  private static func ending(_ view: FlowView, _ outcome: Outcome<Verdict>) -> String {
    switch outcome {
    case .finished(let verdict): return "\(verdict.isApproved ? "approved" : "rejected"): \(verdict.reason)"
    case .suspended(let message): return "suspended: \(message)"
    case .failed(let message): return "failed: \(message)"
    default:
      let people = view.questions.flatMap(\.assignees)
      return people.isEmpty ? "\(view.status.rawValue)" : "waits for \(people.joined(separator: " and "))"
    }
  }
}
