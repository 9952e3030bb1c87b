// Markup is a literal of the source code: no text that is known only at run time becomes markup.
import ActorFlow
import ActorFlowWeb

func page(of name: String) -> HTML { name }  // error: cannot convert … 'String' … 'HTML'

func heading(_ name: String) -> HTML { HTML(stringLiteral: name) }  // error: cannot convert … 'String' … 'StaticString'

func escaped(_ name: String) -> HTML { "<p>\(name)</p>" }
