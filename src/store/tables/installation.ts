import type { Generated } from 'kysely'
import type { GeneratedTimestamp, Timestamp } from './columns.ts'

export interface InstallationTable {
  id: Generated<number>
  namespace_id: string | null
  epoch: Generated<number>
  created_at: GeneratedTimestamp
  /** restored from a backup then, and not accepted yet */
  restored_at: Timestamp | null
}
