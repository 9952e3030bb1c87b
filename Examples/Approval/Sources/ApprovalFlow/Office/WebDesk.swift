package import ActorFlow
import ActorFlowHosting

/// The requests of people as a web server passes them on. Each reply has a status and, if it is a refusal, a reason.
package struct WebDesk: Sendable {
  private let office: Office

  package init(_ office: Office) {
    self.office = office
  }

  /// A reply to a request.
  package struct Reply: Sendable, Equatable {
    /// The status of HTTP.
    package let status: Int
    /// The reason for a status other than 200.
    package let reason: String?

    package init(_ status: Int, _ reason: String? = nil) {
      (self.status, self.reason) = (status, reason)
    }
  }

  /// Decides, for a person whose name the server has checked.
  package func decide(_ id: FlowID, by name: String, _ ballot: Ballot) async -> Reply {
    await reply { try await office.decide(id, by: name, ballot) }
  }

  /// Lets another person decide, for a person whose name the server has checked.
  package func delegate(_ id: FlowID, from name: String, to next: String) async -> Reply {
    await reply { try await office.delegate(id, from: name, to: next) }
  }

  private func reply(to request: () async throws -> Void) async -> Reply {
    do {
      try await request()
      return Reply(200)
    } catch let refusal as Refusal {
      return Reply(refusal.httpStatus, refusal.message)
    } catch let problem as Problem {
      return Reply(problem.status, problem.sentence)
    } catch let error as FlowError {
      return Reply(error.code.httpStatus, error.message)
    } catch let error as FlowStoreError {
      return Reply(error.code.httpStatus, error.message)
    } catch {
      return Reply(500, "\(error)")
    }
  }
}
