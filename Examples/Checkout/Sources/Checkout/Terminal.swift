import ActorFlow
import CheckoutFlow

/// Shows the questions of one flow, and gives it the answers.
///
/// One loop over all events of the flow and all typed lines, in order. It writes the event, shows the open questions
/// that were not shown yet, and requests a line if one is needed. The coordinator continues by itself, so the flow may
/// also end while a line is awaited, for example by an expiry.
struct Terminal {
  /// The inputs of a terminal.
  enum Happening: Sendable {
    case event(NavigationEvent)
    case input(Input)
  }

  let conversation: any Conversation
  let flow: Flow<ShoppingList, Receipt>
  let shop: Shop
  var input: any InputSource
  let screen: Screen
  let events: EventLines?
  /// Whether the person stands in for the payment provider.
  let confirmsByHand: Bool

  var drafts = Drafts()
  var position: Position?
  /// The questions that were shown and are open, oldest first.
  var open: [Page.Question] = []
  /// Questions that the person has answered, although earlier events may still contain them.
  var closed: Set<Question.ID> = []
  /// The answer of an empty line.
  var draft: String?
  /// The awaited signals.
  var waits: [String] = []
  /// The number of visits so far.
  var depth = 0
  /// Whether the last output does not show the open question.
  var isStale = false
  /// Whether the person has left, and the checkout waits.
  var hasLeft = false
  private var latest: Page.Question?
  private var isReading = false

  init(
    conversation: any Conversation, flow: Flow<ShoppingList, Receipt>, shop: Shop, input: any InputSource,
    screen: Screen, events: EventLines?, confirmsByHand: Bool
  ) {
    self.conversation = conversation
    self.flow = flow
    self.shop = shop
    self.input = input
    self.screen = screen
    self.events = events
    self.confirmsByHand = confirmsByHand
  }

  /// Talks until the flow has ended, or the person has left a waiting one.
  mutating func run() async throws {
    let count = shop.catalogue.products.count
    screen.say("Checkout: \(count) product\(count == 1 ? "" : "s"). Type an answer, or one of these:")
    screen.say(Word.help(example: example))
    let (happenings, sink) = AsyncStream.makeStream(of: Happening.self)
    let events = conversation.events
    async let pump: Void = Self.pump(events, into: sink)
    input.start { sink.yield(.input($0)) }
    if let page = conversation.opening {
      show(page)
      await askForLine()
    }
    for await happening in happenings {
      switch happening {
      case .event(let event): try show(event)
      case .input(let input):
        isReading = false
        isStale = true
        try await take(input)
      }
      if hasLeft { return }
      await askForLine()
    }
    await pump
    if isReading { screen.say("") }  // nobody will type the rest of that line
  }

  private static func pump(
    _ events: AsyncStream<NavigationEvent>, into sink: AsyncStream<Happening>.Continuation
  ) async {
    for await event in events { sink.yield(.event(event)) }
    sink.finish()
  }

  var example: String {
    "\(shop.catalogue.products.first { $0.stock > 0 }?.sku.code ?? "SKU") 1"
  }

  /// Shows the change of an event. The position has the open questions, the change has not.
  private mutating func show(_ event: NavigationEvent) throws {
    events?.write(event)
    position = event.position
    if case .rolledBack(let errors) = event.change {
      for error in errors { screen.say("Not undone: \(error).") }
    }
    if case .waiting(let wait) = event.change, wait.signal == Confirmation.signal.name {
      screen.say("Waiting for the payment provider to confirm…")
    }
    show(try Page(event.position))
  }

  private mutating func show(_ page: Page) {
    depth = page.depth
    if waits != page.waits {
      waits = page.waits
      isStale = true
    }
    let known = open
    open = page.questions.filter { !closed.contains($0.id) }
    guard !Page.areSame(open, known) else { return }
    for question in open { show(question, insteadOf: known.first { $0.id == question.id }) }
    if known.map(\.id) != open.map(\.id) { isStale = true }
    guard let question = open.last else { return }
    if open.count > 1 {
      draft = nil
    } else if question.id != latest?.id {
      // Asked again in one visit, the step could not use the answer: it is not offered once more.
      draft = question.visit == latest?.visit ? nil : drafts[question.step, depth]
    }
    latest = question
  }

  /// Shows a question that is new, or has changed. Text that is typed meanwhile stays, and answers the current
  /// question.
  private mutating func show(_ question: Page.Question, insteadOf old: Page.Question?) {
    let prompt = question.prompt
    if let old = old?.prompt, old.heading == prompt.heading, old.label == prompt.label { return }
    isStale = true
    if isReading, prompt.heading.first?.isEmpty != true { screen.say("") }
    for line in prompt.heading { screen.say(line) }
  }

  /// Writes the question, or all open ones, and requests a line, unless one is requested already.
  ///
  /// Waits until the flow has nothing left to do by itself, so that branches which ask at the same time are shown
  /// together. If there is more to show then, its events are on their way.
  private mutating func askForLine() async {
    guard isStale, !open.isEmpty || (confirmsByHand && !waits.isEmpty) else { return }
    guard let settled = await conversation.settled(), Page.areSame(settled.questions, open), settled.waits == waits
    else { return }
    isStale = false
    switch open.count {
    case 0:
      screen.write("confirm KEY, back or abandon: ")
    case 1:
      let prompt = open[0].prompt
      screen.write(prompt.label + (draft.map { " [\(prompt.shown($0))]" } ?? "") + ": ")
    default:
      screen.say("\(open.count) questions are open; write the number before the answer.")
      for (index, question) in open.enumerated() {
        screen.say("  \(index + 1)  \(question.prompt.label)  (\(question.step))")
      }
      screen.write("Number and answer: ")
    }
    guard !isReading else { return }
    isReading = true
    input.askForLine()
  }
}
