import Dispatch
import Foundation
import Testing

/// Devices and pipes in the place of files.
@Suite struct StreamTests {
  private static let order = (AnswersTests.order + [AnswersTests.card]).joined(separator: "\n")

  @Test("--answers takes an empty device: its end abandons")
  func null() async throws {
    let ending = try await Program.run(["--answers", "/dev/null"])
    #expect(ending.status == 2)
    #expect(ending.errors.isEmpty)
    #expect(ending.output.contains("\nAbandoned: the input ended.\n"))
  }

  @Test("--answers takes piped input")
  func standardInput() async throws {
    try await Program.withFolder { folder in
      let pipe = Pipe()
      let program = try Program(["--answers", "/dev/stdin"], in: folder, input: pipe)
      try pipe.fileHandleForReading.close()
      try pipe.fileHandleForWriting.write(contentsOf: Data(Self.order.utf8))
      try pipe.fileHandleForWriting.close()
      let ending = try await program.end()
      #expect(ending.status == 0)
      #expect(ending.output.contains("RECEIPT"))
    }
  }

  @Test(
    "Every option for a file takes a named pipe", arguments: ["--answers", "--prices", "--catalogue", "--upsell"])
  func namedPipe(option: String) async throws {
    try await Program.withFolder { folder in
      let path = folder.appending(path: "pipe").path
      try #require(mkfifo(path, 0o600) == 0)
      let text =
        switch option {
        case "--answers": Self.order
        case "--prices": "TLS-101,10.00\n"
        case "--catalogue": "sku,name,price,stock\nTLS-101,Hammer,10.00,24\n"
        default: #"{"version":1,"flow":[{"step":"offer","options":{"title":"a pencil","price":"0.50"}}]}"#
        }
      // Opening a pipe waits for its other end, so it runs on a thread of its own.
      DispatchQueue(label: "pipe").async {
        guard let end = FileHandle(forWritingAtPath: path) else { return }
        try? end.write(contentsOf: Data(text.utf8))
        try? end.close()
      }
      let answers = try Program.file(Self.order, in: folder).path
      let program = try Program(
        [option, path] + (option == "--answers" ? [] : ["--answers", answers]), in: folder, input: FileHandle.nullDevice
      )
      let ending = try await program.end()
      // Releases the thread if the program never opened its end.
      close(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
      #expect(ending.errors.isEmpty)
      switch option {
      case "--prices", "--catalogue": #expect(ending.output.contains("Basket: €20.00"))
      case "--upsell": #expect(ending.output.contains("a pencil"))
      default: #expect(ending.status == 0)
      }
    }
  }
}
