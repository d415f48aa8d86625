import { Lexer, parseDocument, Parser, type Document, type LineCounter } from 'yaml'

/** Lists and mappings inside of each other, far above what people write. */
const maxDepth = 100

/** Where a text is nested over {@link maxDepth} levels deep; `line` counts from 1. */
export interface TooDeep {
  readonly tooDeepLine: number
}

/**
 * Parses YAML. A text that is nested over 100 levels deep is not parsed, since the parser's time
 * grows with the square of the depth. `[a: 1]` counts as one level. Keys are compared by
 * `resolveNames`: the parser's own way takes minutes for a file of a million bytes.
 */
export function parseYaml(text: string, lineCounter: LineCounter): Document.Parsed | TooDeep {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    // Only the depth counts: the tokens are not used.
    for (const _token of parser.next(lexeme));
    // The stack: the document, a token for each level, and at most one scalar.
    const beyond = parser.stack[maxDepth + 1]
    if (beyond === undefined || !('items' in beyond)) continue
    return { tooDeepLine: text.slice(0, parser.offset).split('\n').length }
  }
  return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false })
}
