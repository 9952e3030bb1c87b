/// A hint on how to show a step, set in the definition and read by the code that shows it. ActorFlow itself shows
/// nothing.
///
/// Set it with ``FlowComponent/presentation(_:)``, and read it from ``Visit/presentation``.
public struct Presentation: Sendable, Hashable, Codable {
  private let name: String
  private let isCustom: Bool

  private init(_ name: String, isCustom: Bool = false) {
    self.name = name
    self.isCustom = isCustom
  }

  /// On top of the current content, which stays below.
  public static let push = Presentation("push")
  /// In front of everything, until it is done.
  public static let modal = Presentation("modal")
  /// Instead of the current content.
  public static let replace = Presentation("replace")
  /// Inside the current content.
  public static let embed = Presentation("embed")

  /// A token of your own. It equals no built-in token, whatever its name.
  public static func custom(_ name: String) -> Presentation { Presentation(name, isCustom: true) }
}

extension Presentation: CustomStringConvertible {
  /// The token's name.
  public var description: String { isCustom ? "custom(\(name))" : name }
}
