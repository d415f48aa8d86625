import type { Command } from 'unbash'
import type { KnownWord } from './known-word.ts'

/** A simple command of which every word and redirect is known. */
export interface KnownCommand {
  readonly kind: 'command'
  readonly node: Command | null
  readonly words: readonly KnownWord[]
  /** printed, in their order */
  readonly redirects: readonly string[]
}

/** A script of which everything is known: commands between separators and operators, as they are printed. */
export type KnownPiece = KnownCommand | { readonly kind: 'text'; readonly text: string }
