/// One line of comma-separated values.
enum CSVLine {
  /// The fields, without the quotation marks and the blanks around them.
  ///
  /// A field that holds a comma stands in quotation marks; a quotation mark inside such a field is doubled.
  static func fields(of line: Substring) throws -> [String] {
    var fields: [String] = []
    var rest = line
    while true {
      rest = rest.drop { $0 == " " || $0 == "\t" }
      let field = rest.first == "\"" ? try takeQuoted(&rest) : takePlain(&rest)
      fields.append(field)
      guard rest.popFirst() == "," else { return fields }
    }
  }

  /// Takes the text before the next comma.
  private static func takePlain(_ rest: inout Substring) -> String {
    let field = rest.prefix { $0 != "," }
    rest = rest[field.endIndex...]
    return field.trimmed
  }

  /// Takes a field in quotation marks, and the blanks behind it.
  private static func takeQuoted(_ rest: inout Substring) throws -> String {
    rest.removeFirst()
    var field = ""
    while let character = rest.popFirst() {
      if character != "\"" {
        field.append(character)
      } else if rest.first == "\"" {
        rest.removeFirst()
        field.append("\"")
      } else {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard rest.isEmpty || rest.first == "," else {
          throw Problem("text follows a closing quotation mark; double a quotation mark that belongs to a name")
        }
        return field.trimmed
      }
    }
    throw Problem("a quotation mark is opened and not closed; close it before the next comma")
  }
}
