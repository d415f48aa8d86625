import type { Command } from 'unbash'
import type { KnownPart } from './expand-word.ts'

/**
 * Whether the parsed parts cover every character of a script: only blanks between the words of a
 * command, and only the parsed operator between commands, so that printing loses nothing that the
 * parser skipped.
 */
export function coversScript(script: string, parts: readonly KnownPart[]): boolean {
  let at = 0
  let operator = ''
  let isFirst = true
  for (const part of parts) {
    if (part.kind === 'text') {
      operator += part.text.replaceAll(' ', '')
      continue
    }
    const spans = part.node === null ? [] : spansOf(part.node)
    const [first] = spans
    if (first === undefined || !isOperator(script.slice(at, first.pos), operator, isFirst))
      return false
    at = first.pos
    for (const { pos, end } of spans) {
      if (!/^[ \t]*$/.test(script.slice(at, pos))) return false
      at = end
    }
    operator = ''
    isFirst = false
  }
  return ['', ';'].includes(withoutBlanks(script.slice(at)))
}

function spansOf(node: Command): readonly { readonly pos: number; readonly end: number }[] {
  const parts = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]
  return parts.toSorted((a, b) => a.pos - b.pos)
}

/** A semicolon may also be the end of a line. */
function isOperator(gap: string, operator: string, isFirst: boolean): boolean {
  const operatorText = withoutBlanks(gap)
  if (operatorText === operator) return true
  return (
    !isFirst && gap.includes('\n') && operator.startsWith(';') && operatorText === operator.slice(1)
  )
}

function withoutBlanks(gap: string): string {
  return gap.replace(/(?<=^|[\s;&|])#[^\n]*/g, '').replace(/[ \t\n]/g, '')
}
