import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'

/** Longer texts are shown as they are: a bound on what reading them takes. */
const maxCharacters = 16 * 1024
/** More marks of nesting at the beginning of one line than people write. */
const nested = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m

/** Markdown as a tree, with tables; `null` for what is shown as plain text. Pure. */
export function markdownTree(text: string): Root | null {
  if (text.length > maxCharacters || nested.test(text)) return null
  try {
    return fromMarkdown(text, {
      extensions: [gfmTable()],
      mdastExtensions: [gfmTableFromMarkdown()],
    })
  } catch {
    return null
  }
}
