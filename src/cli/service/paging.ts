import type { Command } from 'commander'
import { dim } from '../text/colour.ts'

export interface PagingOptions {
  limit?: string
  cursor?: string
  json?: boolean
}

/** The options of a listing that comes in pages. */
export function withPaging(command: Command): Command {
  return command
    .option('--limit <number>', 'how many, at most 200', '50')
    .option('--cursor <cursor>', 'go on where a page before ended')
    .option('--json', 'print JSON')
}

/** What a listing is asked with. */
export function pageOf({ limit, cursor }: PagingOptions): Record<string, string | undefined> {
  return { limit, cursor }
}

/** Says that a page is not all, and how the next one is had; nothing at the end. */
export function printMore(list: { readonly nextCursor: string | null }): void {
  if (list.nextCursor !== null) console.log(dim(`there are more: --cursor ${list.nextCursor}`))
}
