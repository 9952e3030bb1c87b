import ArgumentParser

/// `actorflow note`.
struct Note: BulkCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a note into the history of flows.",
    discussion: "A note stays as long as the history, so write no secrets into it.")
  static let operation = "note"
  @OptionGroup var target: ChangeTarget
  @Option(help: "The note.") var text: String
  @OptionGroup var idempotency: ChangeKey
  @OptionGroup var service: ServiceOptions

  var key: String? { idempotency.orNew }
  var values: RequestBody {
    var values = RequestBody()
    values.set("text", text)
    return values
  }

  func validate() throws {
    guard text.contains(where: { !$0.isWhitespace }) else { throw ValidationError("--text is empty.") }
  }
}
