import Foundation

/// The JSON object of a request. A value that the operator gave as JSON is sent as it was given, with all of its digits.
struct RequestBody: Sendable {
  private var members: [(name: String, json: String)] = []

  init() {}

  mutating func set(_ name: String, _ value: String?) {
    guard let value else { return }
    set(name, json: JSONValue.text(value).description)
  }

  mutating func set(_ name: String, _ value: Int?) {
    guard let value else { return }
    set(name, json: "\(value)")
  }

  mutating func set(_ name: String, _ value: Bool) { set(name, json: "\(value)") }

  mutating func set(_ name: String, _ values: [String]) {
    set(name, json: JSONValue.array(values.map { .text($0) }).description)
  }

  /// - Parameter json: A value as JSON.
  mutating func set(_ name: String, json: String) {
    members.removeAll { $0.name == name }
    members.append((name, json))
  }

  var json: String {
    "{" + members.map { "\(JSONValue.text($0.name)):\($0.json)" }.joined(separator: ",") + "}"
  }

  /// Returns a value that was given as JSON, or as `@` and the path of a file that has it.
  ///
  /// - Throws: A ``ToolFailure`` for a file that cannot be read, or a text that is not JSON. It does not have the text.
  static func value(_ argument: String, of option: String) throws(ToolFailure) -> String {
    var text = argument
    if argument.hasPrefix("@") {
      let file = String(argument.dropFirst())
      guard let data = FileManager.default.contents(atPath: file) else {
        throw .usage("the file \(file) of \(option) cannot be read: check its path and its owner")
      }
      text = String(decoding: data, as: UTF8.self)
    }
    guard (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil else {
      throw .usage("\(option) is not JSON: write a text with its quotation marks, as in '\"yes\"'")
    }
    return text
  }
}
