import ActorFlow
import ActorFlowHosting
import ActorFlowTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a step is told and records since format 6: attempts, replies, the race of a question and a signal, labels.
extension CorpusScenario {
  static let sinceFormat6: [CorpusScenario] = [attempts, first, reply, labels, children]

  /// A failure, an attempt that succeeded, and one that a second failure may follow.
  static let attempts = CorpusScenario("attempts", since: 6) { isWhole in
    Flow("attempts") {
      Step("pay") { (input: String, context: StepContext) in
        let first = try await context.attempt("card 1") { _ -> String in throw CorpusDecline(reason: "expired") }
        let card = try await context.ask(Form(text: described(first)))
        let second = try await context.attempt("card 2") { _ in card }
        let third = try await context.attempt("points") { _ -> String in throw Boom() }
        let ship = try await context.ask(Form(text: described(second)))
        return "\(input)\(described(first)) \(described(second)) \(described(third)) \(ship)"
      }
    }
  } begin: {
    try await $0.answer("pay")
  }

  private static func described(_ attempt: Attempt<String>) -> String {
    switch attempt {
    case .made(let value): value
    case .failed(let error): "\(error.typeName) \(error.detail(as: CorpusDecline.self)?.reason ?? "-")"
    }
  }

  /// A question and a wait with a condition are open; a signal that does not meet the condition is unread.
  static let first = CorpusScenario("first", since: 6) { _ in
    Flow("first") {
      Step("confirm") { (input: String, context: StepContext) in
        let result = try await context.first(
          of: Form(text: input), or: paid, matching: { $0 != "late" }, within: .seconds(1_000))
        return switch result {
        case .answered(let reply): "\(input)\(reply.answer) by \(reply.by?.id ?? "-")"
        case .received(let value): "\(input)\(value)"
        case nil: "\(input)late"
        }
      }
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
    try await $0.host.flow($0.id).send("late", to: paid, key: "late")
  }

  /// A recorded time and an answer with its facts.
  static let reply = CorpusScenario("reply", since: 6) { _ in
    Flow("reply") {
      Step("approve") { (input: String, context: StepContext) in
        let begun = try await context.now(key: "begun")
        let reply = try await context.reply(to: Form(text: input))
        let more = try await context.ask(Form(text: "more"))
        let delay = reply.at.sinceStart - begun.sinceStart
        return "\(input)\(reply.answer) \(reply.by?.id ?? "-") \(reply.revision) \(delay) \(more)"
      }
    }
  } begin: {
    try await $0.pass(.seconds(60))
    try await $0.answer("approve")
  }

  /// Labels by the step and by a child task, one of them removed again.
  static let labels = CorpusScenario("labels", since: 6) { _ in
    Flow("labels") {
      Step("ship") { (input: String, context: StepContext) in
        try await context.label("stage", "asked")
        try await context.label("customer", nil)
        async let marked: Void = context.label("child", "1")
        try await marked
        let answer = try await context.ask(Form(text: input))
        try await context.label("stage", "shipped")
        return input + answer
      }
    }
  } begin: {
    _ = try await $0.host.flow($0.id).settled()
  }

  /// The step and a child task of it have asked for the same; the step asks again.
  static let children = CorpusScenario("children", since: 6) { _ in
    Flow("children") {
      Step("both") { (input: String, context: StepContext) in
        let own = try await context.ask(Form(text: "own"))
        async let child = context.ask(Form(text: "child"))
        let answers = try await "\(own) \(child)"
        return "\(input)\(answers) \(try await context.ask(Form(text: "again")))"
      }
    }
  } begin: {
    try await $0.answer("both", #""own""#)
    try await $0.answer("both", #""child""#)
  }
}

extension CorpusScenario {
  /// A question that an operator has assigned to others, since format 8.
  static let assigned = CorpusScenario("assigned", since: 8) { _ in
    Flow("assigned") {
      Step("vote") { (input: String, context: StepContext) in
        input + (try await context.ask(CorpusVote(text: input, assignees: ["ann"])))
      }
    }
  } begin: { actor in
    guard let question = try await actor.host.flow(actor.id).settled().questions.first?.id else { return }
    try await actor.host.flow(actor.id).reassign(
      question, to: ["bob", "zo\u{EB}"], reason: "on holiday", by: Principal(id: "cleo"))
    _ = try await actor.host.flow(actor.id).settled()
  }
}

extension CorpusScenario {
  /// A step that an operator has entered anew, and that is about to be once more, since format 9.
  static let anew = CorpusScenario("anew", since: 9) { _ in
    Flow("anew") {
      Step("pay") { (input: String, context: StepContext) in
        let receipt = try await context.once("charge") { _ in "paid \(input)" }
        return "\(receipt) \(try await context.ask(Form(text: input)))"
      }
    }
  } when: {
    $0.status == .runnable && $0.stack.count == 2
  } begin: { actor in
    for input in [#""second""#, #""third""#] {
      _ = try await actor.host.flow(actor.id).settled()
      try await actor.host.flow(actor.id).enter("pay", input: input.utf8, by: Principal(id: "cleo"))
    }
    _ = try await actor.host.flow(actor.id).settled()
  }
}

private struct CorpusVote: AssignedPrompt, ReassignablePrompt, Codable {
  typealias Answer = String
  var text: String
  var assignees: [String]
  var due: Date? { nil }
  static let promptName = "CorpusVote"
}

extension CorpusScenario {
  /// An answer in the history, since format 9.
  static let audited = CorpusScenario("audited", since: 9) { _ in
    Flow("audited") {
      Step("decide") { (input: String, context: StepContext) in
        let verdict = try await context.ask(CorpusVerdict(text: input))
        return input + verdict + (try await context.ask(Form(text: "next")))
      }
    }
  } begin: {
    try await $0.answer("decide", #""yes, zo\u00eb""#)
  }

  /// A flow with the reference of a key, and with details that have passed a codec, since format 9.
  static let keyed = CorpusScenario("keyed", since: 9) { _ in
    Flow("keyed") {
      Step("name") { (input: String, context: StepContext) in input + (try await context.ask(Form(text: input))) }
    }
  } begin: {
    try await $0.host.flow($0.id).note("zo\u{EB} called", by: Principal(id: "cleo"))
    _ = try await $0.host.flow($0.id).settled()
  }

  /// A flow that has finished and was redacted, since format 9.
  static let redacted = CorpusScenario("redacted", since: 9) { _ in
    Flow("redacted") {
      Step("name") { (input: String, context: StepContext) in input + (try await context.ask(Form(text: input))) }
    }
  } begin: {
    try await $0.answer("name", #""zo\u00eb""#, key: "a")
    try await $0.host.flow($0.id).redact(reason: "request 17", by: Principal(id: "cleo"))
  }
}

private struct CorpusVerdict: Prompt, Codable {
  typealias Answer = String
  var text: String
  static let promptName = "CorpusVerdict"
  static let isAudited = true
}

/// Names a key, and leaves all bytes as they are.
struct CorpusCodec: BodyCodec {
  func key(for flow: FlowID, labels: [String: String]) -> String? { "key of \(labels["customer"] ?? "-")" }
  func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { bytes }
  func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] { bytes }
}

/// The error of a failed attempt, recorded with its detail.
private struct CorpusDecline: Error, Codable {
  var reason: String
}
