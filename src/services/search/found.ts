import type { SearchType } from '#domain/search.ts'

/** One thing found. `url` is a path of the dashboard. */
export interface FoundItem {
  readonly type: SearchType
  readonly id: string
  /** of a request, and of a run */
  readonly number?: number
  readonly title: string
  readonly detail: string
  readonly url: string
}
