import { sql } from 'kysely'

/**
 * Whether a call that waits was requested before rows were lost in a restore: it may have been
 * decided and carried out in them, so a person looks at it separately (docs/backup.md). For the
 * query's `request`.
 */
export const askedBeforeRestore = sql<boolean>`
  (request.state = 'pending' and request.kind not in ('question', 'outcome_check')
    and request.epoch < (select restored_epoch from installation))`
