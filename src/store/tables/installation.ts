import type { GeneratedTimestamp, Timestamp } from './columns.ts'
import type { Generated } from 'kysely'

export interface InstallationTables {
  installation: {
    id: Generated<number>
    namespace_id: string | null
    epoch: Generated<number>
    /**
     * the newest epoch that began after rows were lost: requests of older epochs may have been
     * decided in the lost rows
     */
    restored_epoch: Generated<number>
    created_at: GeneratedTimestamp
    /** when it was restored from a backup that is not accepted yet */
    restored_at: Timestamp | null
  }
  /** What is recorded of a signing key. Nothing is verified with this row. */
  installation_key: {
    kind: 'signing' | 'log'
    key_id: string
    since: GeneratedTimestamp
    /** when it was retired, because another person may have it */
    retired_at: Timestamp | null
    /** of a key of the log: its public half, `name+hash+base64` */
    vkey: string | null
    /** of a key of the log that replaced another one: the signed note that says so */
    handover: string | null
  }
}
