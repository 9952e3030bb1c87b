import ActorFlow
import ActorFlowWeb
public import Foundation

/// The token of the operators' tool. An operator at a browser signs in as other people do.
///
/// A service of yours asks its identity provider, which has a token for each operator.
public struct OperatorToken: Sendable {
  /// The role of operators, at the tool and at a browser.
  static let role = "operators"
  private static let name = "operator"
  private static let scheme = "bearer "

  /// The file of the token; `nil` for a token in memory.
  public let file: URL?
  /// The token itself.
  public let text: String

  /// Reads the token from its file, or makes one.
  ///
  /// - Parameter directory: The directory of the file; `nil` for a token in memory.
  public init(directory: URL? = nil) throws {
    file = directory?.appendingPathComponent("operator-token")
    guard let directory, let file else {
      text = Token.random()
      return
    }
    try PrivateFile.makeDirectory(directory)
    if let data = FileManager.default.contents(atPath: file.path) {
      text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      guard text.utf8.count >= 32 else { throw TooShort(file: file.path) }
    } else {
      text = Token.random()
      try PrivateFile.write(Data("\(text)\n".utf8), to: file)
    }
  }

  /// Returns the operator who sends a request; `nil` for a request that names nobody so.
  ///
  /// - Throws: An error for another token.
  func principal(of request: WebRequest) throws -> Principal? {
    guard let header = request.headers["Authorization"] else { return nil }
    guard header.lowercased().hasPrefix(Self.scheme),
      Token.areEqual(String(header.dropFirst(Self.scheme.count)), text)
    else { throw Unknown() }
    return Principal(id: Self.name, roles: [Self.role])
  }

  /// The error for a request with a token that is not the operators'.
  private struct Unknown: Error {}

  /// The error for a file whose token can be guessed.
  struct TooShort: Error, CustomStringConvertible {
    let file: String
    var description: String { "the token in \(file) has less than 32 characters: remove the file to get a new one" }
  }
}
