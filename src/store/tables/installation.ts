import type { Generated } from 'kysely'
import type { GeneratedTimestamp } from './columns.ts'

export interface InstallationTable {
  id: Generated<number>
  namespace_id: string | null
  epoch: Generated<number>
  created_at: GeneratedTimestamp
}
