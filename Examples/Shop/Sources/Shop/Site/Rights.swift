import ActorFlow
import ActorFlowHosting
import ActorFlowWeb

/// The rights of people: each has their own checkouts and expenses, the staff sees all expenses, and the verbs of operators
/// are for operators alone.
enum Rights {
  private static let owner = "owner"

  static func label(_ who: Principal?) -> [String: String] { [owner: who?.id ?? ""] }

  static func check(_ verb: FlowSite.Verb, _ flow: FlowView?, _ who: Principal?) throws {
    guard let who else { throw Refusal.notAllowed("Please sign in.") }
    let isStaff = who.roles.contains("staff")
    switch verb {
    case .start("expense"): guard isStaff else { throw Refusal.notAllowed("Only staff has expenses.") }
    case .start, .list, .describe: return
    case .look, .answer:
      // Whom a question is for, the prompt says: see `BallotForm`.
      guard isOwn(flow, who) || isStaff && flow?.definition == "expense" else { throw notYours }
    case .backUp, .abandon: guard isOwn(flow, who) else { throw notYours }
    case .history:
      guard who.roles.contains("managers"), flow?.definition == "expense" else {
        throw Refusal.notAllowed("Only managers see this.")
      }
    case .operate where who.roles.contains(OperatorToken.role): return
    // The verbs of operators for others, and those that future versions of the library serve.
    default: throw Refusal.notAllowed("This is not allowed.")
    }
  }

  private static var notYours: Refusal { .notAllowed("This is not yours.") }

  private static func isOwn(_ flow: FlowView?, _ who: Principal) -> Bool { flow?.labels[owner] == who.id }
}
