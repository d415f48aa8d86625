import { Lexer, parseDocument, Parser, type Document, type LineCounter } from 'yaml'

/** Lists and mappings inside of each other, far above what people write. */
const maxDepth = 100

/** The parser holds up to three tokens for a level. */
const maxTokens = 3 * maxDepth

/** Where a text is nested over {@link maxDepth} levels deep; `line` counts from 1. */
export interface TooDeep {
  readonly tooDeepLine: number
}

/**
 * Parses YAML. A text that is nested over 100 levels deep is not parsed, since the parser's time
 * grows with the square of the depth. Keys are compared by `resolveNames`: the parser's own way
 * takes minutes for a file of a million bytes.
 */
export function parseYaml(text: string, lineCounter: LineCounter): Document.Parsed | TooDeep {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    // Only the depth counts: the tokens are not used.
    for (const _token of parser.next(lexeme));
    if (parser.stack.length <= maxTokens) continue
    return { tooDeepLine: text.slice(0, parser.offset).split('\n').length }
  }
  return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false })
}
