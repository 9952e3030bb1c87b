import ActorFlow
import ActorFlowWeb
import Foundation
import Testing

@testable import Shop
@testable import ShopServer

@Suite("The files of the shop") struct FilesTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("shop-\(UUID())/data")

  private func mode(_ path: String) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test("are for their owner alone: the folder has the mode 0700, each file 0600, also after a change")
  func modes() async throws {
    defer { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }  // does no harm
    let sessions = try Sessions(directory: directory)
    _ = try await sessions.begin(for: Principal(id: "ann"))
    _ = try await sessions.begin(for: Principal(id: "bob"))
    try await Warehouse(directory: directory).reserve([], key: "key")
    _ = try await FakeBank(directory: directory).open(1, for: "order", key: "key")
    #expect(try mode(directory.path) == 0o700)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(files == ["bank.json", "operator-token", "sessions.json", "warehouse.json"])
    for file in files { #expect(try mode(directory.appendingPathComponent(file).path) == 0o600, "\(file)") }
  }

  @Test("are written whole: what a process left that died in between is replaced")
  func leftOver() throws {
    defer { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }  // does no harm
    try PrivateFile.makeDirectory(directory)
    let file = directory.appendingPathComponent("file")
    try Data("half".utf8).write(to: URL(fileURLWithPath: file.path + ".new"))
    try PrivateFile.write(Data("whole".utf8), to: file)
    #expect(FileManager.default.contents(atPath: file.path) == Data("whole".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    #expect(throws: (any Error).self) {
      try PrivateFile.write(Data(), to: directory.appendingPathComponent("none/file"))
    }
  }

  @Test("have the operators' token, which stays the same, and is refused if it is short")
  func token() throws {
    defer { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }  // does no harm
    let token = try OperatorToken(directory: directory)
    #expect(try OperatorToken(directory: directory).text == token.text && token.text.utf8.count == 64)
    let file = try #require(token.file)
    try PrivateFile.write(Data("short\n".utf8), to: file)
    let error = #expect(throws: OperatorToken.TooShort.self) { try OperatorToken(directory: directory) }
    #expect(error?.description.contains(file.path) == true)
  }
}

@Suite("The origin of pages") struct OriginTests {
  @Test(
    "is a scheme, a host and a port, as browsers send it",
    arguments: [
      ("https://shop.example", "https://shop.example"), ("HTTPS://Shop.Example:443", "https://shop.example"),
      ("http://10.0.0.7:8080", "http://10.0.0.7:8080"), ("http://shop.example:80", "http://shop.example"),
      ("http://[::1]:8080", "http://[::1]:8080"),
    ]) func read(_ argument: String, _ text: String)
  {
    #expect(Origin(argument: argument)?.text == text)
  }

  @Test(
    "is nothing else",
    arguments: [
      "shop.example", "https://shop.example/", "https://shop.example/shop", "ftp://shop.example", "https://", "*",
    ])
  func refused(_ argument: String) {
    #expect(Origin(argument: argument) == nil)
  }
}
