import type { Generated } from 'kysely'
import type { GeneratedTimestamp, Timestamp } from './columns.ts'

export interface InstallationTable {
  id: Generated<number>
  namespace_id: string | null
  epoch: Generated<number>
  /** the newest epoch that began with rows lost: requests of older ones may have been decided in those */
  restored_epoch: Generated<number>
  created_at: GeneratedTimestamp
  /** restored from a backup then, and not accepted yet */
  restored_at: Timestamp | null
}
