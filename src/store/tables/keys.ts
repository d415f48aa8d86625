import type { GeneratedTimestamp, Timestamp } from './columns.ts'

/** A key that the installation signed with: what was noted of it. Nothing is verified with this row. */
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
