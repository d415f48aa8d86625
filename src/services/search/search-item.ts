import type { SearchItemView } from '#api/schemas/operation/search.ts'
import type { RecordOf } from '../core/record-of.ts'

/** A search result. `url` is a path of the dashboard. */
export type SearchItem = RecordOf<SearchItemView>
