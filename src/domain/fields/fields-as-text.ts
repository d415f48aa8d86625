import { lineBlocks } from '../text/line-pieces.ts'
import type { StructuredField } from './structured-fields.ts'

/** A bar before the lines of a text, so that none looks like a field. */
const bar = '│ '

/**
 * The fields as lines of text, for a terminal and for chat: `Label: value`, the entries of a list
 * and the fields of a field below it. Pure.
 */
export function fieldsAsText(fields: readonly StructuredField[]): string {
  return fields.map(fieldAsText).join('')
}

function fieldAsText({ depth, label, name, value }: StructuredField): string {
  const indent = '  '.repeat(depth)
  const head = `${indent}${label}${name === null ? '' : ` [${name}]`}:`
  switch (value.kind) {
    case 'lines': {
      const lines = value.text.split('\n')
      const rows = lineBlocks(lines, lines.length).flatMap((block) =>
        // Without the bar, which makes a line of text of it.
        block.kind === 'blank'
          ? [`⟦${block.lines.length} blank lines⟧`]
          : block.lines.map((line) => `${bar}${line}`),
      )
      return `${head}\n${rows.map((row) => `${indent}  ${row}\n`).join('')}`
    }
    case 'short': {
      const exact = value.exact === null ? '' : ` (${value.exact})`
      return `${head} ${value.text}${exact}\n`
    }
    case 'group':
    case 'json':
      return `${head}${value.text === '' ? '' : ` ${value.text}`}\n`
  }
}
