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
  private var late: Set<String> = []

  init(_ entries: [HistoryEntry], view: FlowView, outcome: Outcome<Verdict>) {
    var reader = Reader()
    for entry in entries { add(entry, &reader) }
    ending = Self.ending(view, outcome)
    if case .finished(let verdict) = outcome {
      for vote in verdict.votes where !vote.comment.isEmpty {
        lines.append(Line(at: vote.at, text: "\(vote.by) said: \(vote.comment)"))
      }
    }
    lines.append(Line(at: view.changedAt, text: ending))
  }

  /// Whether a person's time is over.
  func missed(_ name: String) -> Bool { late.contains(name) }

  /// The state of the expense between two entries.
  private struct Reader {
    /// All people who were asked so far.
    var people: Set<String> = []
    /// The people who are asked, and for which decision.
    var asked: (seat: Seat, names: [String])?
    /// The person who answered last.
    var answerer = ""
  }

  private mutating func add(_ entry: HistoryEntry, _ reader: inout Reader) {
    let path = entry.step?.path ?? ""
    switch entry.what {
    case "launched": tell(entry, "\(entry.by ?? "somebody") submitted it")
    case "asked":
      guard let seat = Seat(path: path) else { return }
      let names = Self.assignees(entry)
      if let asked = reader.asked, asked.seat == seat {
        let next = names.first { !asked.names.contains($0) } ?? names.first
        tell(entry, "\(reader.answerer) handed on to \(next ?? "nobody")")
      } else {
        for name in names where !reader.people.contains(name) { tell(entry, "\(name) was asked") }
      }
      reader.people.formUnion(names)
      reader.asked = (seat, names)
    case "answered": reader.answerer = entry.by ?? ""
    case "moved": moved(entry, path, reader)
    case "failed": tell(entry, "it failed: \(entry.detail ?? "a step failed")")
    case "suspended", "unmigrated": tell(entry, "it is suspended: \(entry.detail ?? "a step failed")")
    default: break
    }
  }

  private mutating func moved(_ entry: HistoryEntry, _ path: String, _ reader: Reader) {
    switch path.split(separator: "/").last {
    case "approved": tell(entry, "\(reader.answerer) approved it")
    case "rejected": tell(entry, "\(reader.answerer) rejected it")
    case "silent":
      for name in reader.asked?.names ?? [] {
        late.insert(name)
        tell(entry, "\(name) did not decide in time")
      }
    default: break
    }
  }

  private mutating func tell(_ entry: HistoryEntry, _ text: String) {
    lines.append(Line(at: entry.at, text: text))
  }

  /// Returns the assignees of a question, which the history has behind the question's id.
  private static func assignees(_ entry: HistoryEntry) -> [String] {
    let words = (entry.detail ?? "").split(separator: " ")
    guard let last = words.lastIndex(of: "for") else { return [] }
    return words[(last + 1)...].map { $0.filter { $0 != "," } }
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
