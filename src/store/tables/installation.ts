import type { GeneratedTimestamp, Timestamp } from './columns.ts'
import type { Generated } from 'kysely'

export interface InstallationTable {
  id: Generated<number>
  namespace_id: string | null
  epoch: Generated<number>
  /**
   * the newest epoch that began with rows lost: requests of older ones may have been decided in
   * those
   */
  restored_epoch: Generated<number>
  created_at: GeneratedTimestamp
  /** restored from a backup then, and not accepted yet */
  restored_at: Timestamp | null
}

/**
 * A key that the installation signed with: what was noted of it. Nothing is verified with this row.
 */
export interface InstallationKeyTable {
  kind: 'signing' | 'log'
  key_id: string
  since: GeneratedTimestamp
  /** it was retired: somebody else may have it */
  retired_at: Timestamp | null
  /** of a key of the log: its public half, `name+hash+base64` */
  vkey: string | null
  /** of a key of the log that took over from another one: the signed note that says so */
  handover: string | null
}
