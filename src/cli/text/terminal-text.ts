import { visibleText } from '../../domain/visible-text.ts'

/** Text of somebody else's for a terminal: everything but printable characters, newline and tab is escaped. */
export function printable(text: string): string {
  return visibleText(text)
    .map((segment) => (segment.kind === 'text' ? segment.text : `⟦${segment.label}⟧`))
    .join('')
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '⏎').replaceAll('\t', '⇥')
}
