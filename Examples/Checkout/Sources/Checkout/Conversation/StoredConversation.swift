import ActorFlow
import ActorFlowHosting
import CheckoutFlow

/// A checkout that a host runs in a store. Every acknowledged request is there when the program is started again.
struct StoredConversation: Conversation {
  let host: FlowHost
  let id: FlowID
  let catalogue: Catalogue
  let events: AsyncStream<NavigationEvent>
  let opening: Page?

  var isPersisted: Bool { true }

  /// A conversation with a flow that was just started: its events tell everything.
  init(_ host: FlowHost, beginning id: FlowID, catalogue: Catalogue) {
    (self.host, self.id, self.catalogue) = (host, id, catalogue)
    events = host.flow(id).events
    opening = nil
  }

  /// A conversation that continues one of another process; nil if the flow has ended meanwhile.
  ///
  /// A flow that was interrupted at work first reaches its next question. Its events until then are not needed: the
  /// page shows the result. From then on each event changes that page.
  init?(_ host: FlowHost, goingOnWith id: FlowID, catalogue: Catalogue) async throws {
    (self.host, self.id, self.catalogue) = (host, id, catalogue)
    while try await host.flow(id).settled().status == .runnable {}
    events = host.flow(id).events
    let view = try await host.flow(id).view()
    guard view.status == .waiting || view.status == .runnable else { return nil }
    let page = try Page(view, catalogue: catalogue)
    opening = page
    // A passivated basket asks for no prices. It does when it is activated, which any action does. If its time is over
    // at that moment, the events say so.
    if page.questions.count == 1, let basket = page.questions[0].prompt as? BasketView {
      _ = try? await answer(page.questions[0], BasketView.self, with: .currency(basket.currency))
    }
  }

  func settled() async -> Page? {
    guard let view = try? await host.flow(id).settled() else { return nil }
    return try? Page(view, catalogue: catalogue)
  }

  func answer<Form: TextPrompt>(
    _ question: Page.Question, _ form: Form.Type, with answer: Form.Answer
  ) async throws -> Bool {
    let view = try await host.flow(id).answer(question.id, with: answer)
    return view.questions.contains { $0.id == question.id }
  }

  func backUp(from question: Page.Question?) async throws {
    try await host.flow(id).backUp(from: question?.id)
  }

  func confirm(key: String) async throws -> Delivery {
    try await host.flow(id).send(Confirmation(), to: Confirmation.signal, key: key)
  }

  func decide(_ verdict: BankVerdict, key: String) async throws -> Delivery {
    try await host.flow(id).send(verdict, to: BankVerdict.signal, key: key)
  }

  func abandon(reason: String) async throws {
    try await host.flow(id).abandon(reason: reason)
  }
}

extension Page {
  /// Returns the page of a stored flow.
  ///
  /// - Throws: ``Problem`` if it asks for an answer that cannot be typed.
  init(_ view: FlowView, catalogue: Catalogue) throws {
    let questions = try view.questions.map { question in
      Question(
        id: question.id, step: question.step, visit: nil, revision: question.revision,
        prompt: try StoredPrompt.read(question, in: catalogue))
    }
    self.init(questions: questions, waits: view.signals, depth: view.stack.count)
  }
}

/// Prompts as they are read from a store: it has the names of their types, and their content as JSON.
enum StoredPrompt {
  private static let forms: [any TextPrompt.Type] = [
    BasketView.self, AccountForm.self, NameForm.self, EmailForm.self, StreetForm.self, PostcodeForm.self, CityForm.self,
    CountryForm.self, DeliveryForm.self, OfferForm.self, PackingForm.self, BirthYearForm.self, PaymentForm.self,
    MethodForm.self, CancelPaymentForm.self,
  ]

  /// Returns the prompt of a question, with the data that belongs to the shop and is not stored.
  ///
  /// - Throws: ``Problem`` if this program has no such prompt, or has another one by this name.
  static func read(_ question: StoredQuestion, in catalogue: Catalogue) throws -> any TextPrompt {
    guard let form = forms.first(where: question.shows),
      let prompt = try? question.prompt(as: form)
    else { throw Problem("The step \(question.step) asks with a \(question.prompt), which this program cannot show.") }
    return (prompt as? BasketView)?.shown(in: catalogue) ?? prompt
  }
}
