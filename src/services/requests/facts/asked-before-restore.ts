import { sql } from 'kysely'

/**
 * Whether a call that waits for its approval was asked before rows were lost in a restore: it may
 * have been decided and carried out in them, so a person looks at it by itself (docs/backup.md). Of
 * the query's `request`.
 */
export const askedBeforeRestore = sql<boolean>`
  (request.state = 'pending' and request.kind not in ('question', 'outcome_check')
    and request.epoch < (select restored_epoch from installation))`
