import ActorFlow
import ActorFlowDocuments

/// Makes random documents whose neighbours fit, each with the result that its flow must have.
struct RandomDocument {
  /// An entry that takes an order and makes one, and its effect on the order's item.
  struct Piece {
    var entry: FlowDocument.Entry
    var effect: @Sendable (String) -> String

    init(_ kind: FlowDocument.Kind, _ effect: @escaping @Sendable (String) -> String) {
      entry = FlowDocument.Entry(kind)
      self.effect = effect
    }
  }

  var random: SeededGenerator

  mutating func document() -> (document: FlowDocument, effect: @Sendable (String) -> String) {
    let (entries, effect) = pieces(depth: 0)
    return (FlowDocument(name: random.below(2) == 0 ? "f" : nil, entries: entries), effect)
  }

  private mutating func pieces(depth: Int) -> (entries: [FlowDocument.Entry], effect: @Sendable (String) -> String) {
    let pieces = (0...random.below(3)).map { _ in piece(depth: depth) }
    let effects = pieces.map(\.effect)
    return (pieces.map(\.entry), { item in effects.reduce(item) { $1($0) } })
  }

  private mutating func piece(depth: Int) -> Piece {
    var piece = depth < 3 ? kind(random.below(12), depth: depth + 1) : kind(random.below(4), depth: depth)
    surround(&piece)
    return piece
  }

  private mutating func kind(_ number: Int, depth: Int) -> Piece {
    switch number {
    case 0: return step("gift-wrap", wrapped)
    case 1: return step("survey") { _ in "survey" }
    case 2:
      var broken = step("broken") { _ in "replacement" }
      broken.entry.recover = "replacement"
      return broken
    case 3:
      var news = step("news") { $0 }
      news.entry.isPassingThrough = true
      return news
    case 4:
      let (entries, effect) = pieces(depth: depth)
      return Piece(.flow(entries), effect)
    case 5: return choice(depth: depth)
    case 6:
      return Piece(.loop([FlowDocument.Entry(.step("gift-wrap"))], while: "short")) { item in
        var item = wrapped(item)
        while item.count < 20 { item = wrapped(item) }
        return item
      }
    case 7: return forEach(depth: depth)
    case 8:
      let (left, right) = (piece(depth: depth), piece(depth: depth))
      return Piece(.parallel([left.entry, right.entry], join: "both")) { item in
        both(left.effect(item), right.effect(item))
      }
    case 9:
      let branch = piece(depth: depth)
      return Piece(.race([branch.entry]), branch.effect)
    case 10: return hub(depth: depth)
    default: return router(depth: depth)
    }
  }

  private func step(_ name: String, _ effect: @escaping @Sendable (String) -> String) -> Piece {
    Piece(.step(name), effect)
  }

  private mutating func choice(depth: Int) -> Piece {
    let (guests, guest) = pieces(depth: depth)
    let (others, other) = pieces(depth: depth)
    let way = FlowDocument.Way(
      "isGuest", as: random.below(2) == 0 ? "g" : nil, do: [FlowDocument.Entry(.step("guest-order"))] + guests)
    return Piece(.switch([way], otherwise: others)) { item in item.hasPrefix("g") ? guest(item) : other(item) }
  }

  private mutating func forEach(depth: Int) -> Piece {
    guard random.below(3) > 0 else {
      let weighing = [FlowDocument.Entry(.step("weigh"))]
      // With elements of one weight the result does not depend on the branch that ends first.
      var piece = Piece(.flow([])) { item in item.count > 5 ? "heavy \(item.count)" : "light" }
      var joined = FlowDocument.Entry(.flow([]))
      joined.map = "one-word"
      let each = FlowDocument.Entry(.forEach("parcels", do: weighing, until: "first-heavy"))
      piece.entry.kind = .flow([joined, each])
      let effect = piece.effect
      piece.effect = { effect(oneWord($0)) }
      return piece
    }
    let (entries, effect) = pieces(depth: depth)
    var piece = Piece(.forEach("parcels", do: [FlowDocument.Entry(.step("unpack"))] + entries)) { item in
      item.split(separator: " ").map { effect(String($0)) }.joined(separator: "+")
    }
    piece.entry.map = "list"
    return piece
  }

  private mutating func hub(depth: Int) -> Piece {
    var wrapper = FlowDocument.Entry(.step("gift-wrap"))
    if random.below(2) == 0 { wrapper = FlowDocument.Entry(.flow([wrapper])) }
    let otherwise = random.below(2) == 0 ? [FlowDocument.Entry(.step("survey"))] : nil
    var menu = FlowDocument.Entry(.step("counter"))
    if random.below(2) == 0 { menu.onBackUp = "returnable" }
    let ways = [FlowDocument.Way("wrapping", do: [wrapper])]
    return Piece(.hub(menu, ways, otherwise: otherwise, done: "leaving")) { item in
      var item = item
      while item.count < 20 { item = wrapped(item) }
      return item
    }
  }

  private mutating func router(depth: Int) -> Piece {
    let sell = FlowDocument.Entry(.step("sell"))
    var parts = [
      FlowDocument.Entry(.step("triage")), random.below(2) == 0 ? sell : FlowDocument.Entry(.flow([sell])),
      FlowDocument.Entry(.step("reserve")),
    ]
    parts.shuffle(using: &random)
    var piece = Piece(.typeRouter(parts, end: "receipt")) { $0.hasPrefix("g") ? "sold" : "reserved" }
    piece.entry.map = "order"
    return piece
  }

  private mutating func surround(_ piece: inout Piece) {
    if random.below(4) == 0 { piece.entry.name = ["x", "y", "z"][random.below(3)] }
    if random.below(8) == 0 { piece.entry.onBackUp = ["passThrough", "returnable"][random.below(2)] }
    if random.below(8) == 0 { piece.entry.presentation = "modal" }
    if random.below(8) == 0 { piece.entry.retry = FlowDocument.Retry(attempts: 2) }
    if random.below(8) == 0 { piece.entry.timeout = 86_400 }
    if random.below(8) == 0 { piece.entry.expiresAfterIdle = 86_400 }
    if random.below(8) == 0 { piece.entry.recover = "replacement" }
    let effect = piece.effect
    if piece.entry.map == nil, random.below(6) == 0 {
      piece.entry.map = "shout"
      let isPassing = piece.entry.isPassingThrough
      // What passes by is transformed, and so is a replacement inside: but not the one that the entry recovers with.
      let isReplaced = piece.entry.kind == .step("broken")
      piece.effect = { item in isReplaced ? "replacement" : (isPassing ? item : effect(item)).uppercased() }
    }
    let mapped = piece.effect
    if random.below(6) == 0 {
      piece.entry.carrying = "both"
      let isReplaced = piece.entry.kind == .step("broken")
      piece.effect = { item in isReplaced ? "replacement" : both(item, mapped(item)) }
    } else if piece.entry.map == nil, piece.entry.recover == nil, random.below(8) == 0 {
      piece.entry.isPassingThrough = true
      piece.effect = { $0 }
    }
  }
}

@Sendable private func wrapped(_ item: String) -> String { "wrapped " + item }
@Sendable private func both(_ left: String, _ right: String) -> String { "\(left.prefix(12))&\(right)" }
@Sendable func oneWord(_ item: String) -> String { item.filter { $0 != " " } }
