import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'

/** Longer texts are not parsed, to limit the time of parsing. */
const maxCharacters = 16 * 1024
/** Deep nesting at the beginning of a line, which people do not write. */
const deepNesting = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m

/** Parses Markdown with tables to a tree; `null` for a text that is shown as plain text. Pure. */
export function markdownTree(text: string): Root | null {
  if (text.length > maxCharacters || deepNesting.test(text)) return null
  try {
    return fromMarkdown(text, {
      extensions: [gfmTable()],
      mdastExtensions: [gfmTableFromMarkdown()],
    })
  } catch {
    return null
  }
}
