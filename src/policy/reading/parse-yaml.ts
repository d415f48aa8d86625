import { Lexer, parseDocument, Parser, type Document, type LineCounter } from 'yaml'

/** Lists and mappings inside of each other, far above what people write. */
const maxDepth = 100

/** The most words, marks, spaces and line ends. A mebibyte by people has at most 534,000. */
const maxLexemes = 600_000

/** Why and where a text is not parsed; `line` counts from 1. */
export interface TooMuch {
  readonly tooMuch: 'levels' | 'parts'
  readonly line: number
}

/**
 * Parses YAML. A text is not parsed if it is nested over 100 levels deep, since the parser's time
 * grows with the square of the depth, or has over 600,000 parts, since each may be an error.
 * `[a: 1]` counts as one level. Keys are compared by `resolveNames`: the parser's own
 * way takes minutes for a file of a million bytes.
 */
export function parseYaml(text: string, lineCounter: LineCounter): Document.Parsed | TooMuch {
  const parser = new Parser()
  const tooMuch = (what: TooMuch['tooMuch']): TooMuch => {
    return { tooMuch: what, line: text.slice(0, parser.offset).split('\n').length }
  }
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    if ((lexemes += 1) > maxLexemes) return tooMuch('parts')
    // Only the depth counts: the tokens are not used.
    for (const _token of parser.next(lexeme));
    // The stack: the document, a token for each level, and at most one scalar.
    const beyond = parser.stack[maxDepth + 1]
    if (beyond === undefined || !('items' in beyond)) continue
    return tooMuch('levels')
  }
  const { stackTraceLimit } = Error
  // The parser makes an error for each mistake; stacks would take six times as long as the rest.
  Error.stackTraceLimit = 0
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
