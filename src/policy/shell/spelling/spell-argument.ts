import type { Command } from 'unbash'
import { exactly, type Spelling } from './spelling.ts'
import { spellWord, type KnownValues } from './spell-word.ts'

/** `x='git push'` behind `alias`, `declare` and their like is one word, with its quotes gone. */
export function spellArgument(
  argument: Command['args'][number],
  known: KnownValues,
): readonly Spelling[] {
  if (argument.type === 'Word') return spellWord(argument, known)
  const { value, text } = argument
  if (value.type !== 'Word') return [exactly(text)]
  const before = text.slice(0, text.indexOf('=') + 1)
  return spellWord(value, known).map(({ ways, open }) => ({
    ways: ways.map((fields) => [before + fields.join(' ')]),
    open,
  }))
}
