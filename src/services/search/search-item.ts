import type { SearchType } from '#domain/search.ts'

/** A search result. `url` is a path of the dashboard. */
export interface SearchItem {
  readonly type: SearchType
  readonly id: string
  /** for a request or run */
  readonly number?: number
  readonly title: string
  readonly detail: string
  readonly url: string
}
