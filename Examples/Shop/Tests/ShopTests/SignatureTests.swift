import Testing

@testable import Shop

@Suite("The hash of signatures") struct SignatureTests {
  @Test(
    "is that of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]) func hash(_ text: String, _ hash: String)
  {
    #expect(Token.hex(SHA256.hash(Array(text.utf8))) == hash)
  }

  @Test("authenticates as RFC 4231 says, also with a key longer than a block") func code() {
    let short = SHA256.authenticate(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(Token.hex(short) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let text = "Test Using Larger Than Block-Size Key - Hash Key First"
    let long = SHA256.authenticate(Array(text.utf8), key: [UInt8](repeating: 0xAA, count: 131))
    #expect(Token.hex(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }
}
