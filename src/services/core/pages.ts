import { limits } from '#domain/limits.ts'
import { decodeCursor, encodeCursor, type CursorKey } from '#store/paging/keyset.ts'
import { invalid } from './problems/invalid.ts'

/** Which page of a list: the first without a cursor; `limit` is 50 when absent, at most 200. */
export interface PageInput {
  readonly cursor?: string
  readonly limit?: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** How many rows a page has. Queries read one more, to know whether there is another page. */
export function pageSize(page: PageInput): number {
  return Math.min(page.limit ?? limits.listDefault, limits.maxListItems)
}

/**
 * The last keys of the previous page, `null` for the first. Rejects with `invalid_request` for a
 * cursor of another list.
 */
export function keysBefore(
  page: PageInput,
  list: string,
  kinds: readonly CursorKey[],
): readonly string[] | null {
  if (page.cursor === undefined) return null
  const keys = decodeCursor(page.cursor, list, kinds)
  if (keys !== null) return keys
  throw invalid('cursor', 'is not a cursor of this list')
}

/** A page from `pageSize` rows and possibly one more. */
export function pageFrom<T>(
  rows: readonly T[],
  page: PageInput,
  list: string,
  keysOf: (row: T) => readonly string[],
): Page<T> {
  const items = rows.slice(0, pageSize(page))
  const last = items.at(-1)
  const isMore = rows.length > items.length && last !== undefined
  return { items, nextCursor: isMore ? encodeCursor(list, keysOf(last)) : null }
}

/** A page of items with unique names, all in memory, by name in code-unit order. */
export function pageByName<T extends { readonly name: string }>(
  all: readonly T[],
  page: PageInput,
  list: string,
): Page<T> {
  const [after] = keysBefore(page, list, ['text']) ?? []
  const rest = all
    .filter(({ name }) => after === undefined || name > after)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return pageFrom(rest, page, list, ({ name }) => [name])
}
