import type { Db } from '../../store/database.ts'

/**
 * The calls of the same turn that come before (`'<'`) or after (`'>'`) a call, in order, each with its newest request
 * and what that shows, where there is one. The caller says what it wants of `other`, `request` and `revision`.
 */
export function otherCalls(db: Db, callId: string, side: '<' | '>') {
  return db
    .selectFrom('tool_call as own')
    .innerJoin('tool_call as other', (join) =>
      join
        .onRef('other.run_id', '=', 'own.run_id')
        .onRef('other.turn', '=', 'own.turn')
        .onRef('other.position', side, 'own.position'),
    )
    .leftJoin('request', 'request.id', 'other.request_id')
    .leftJoin('request_revision as revision', (join) =>
      join
        .onRef('revision.request_id', '=', 'request.id')
        .onRef('revision.revision', '=', 'request.revision'),
    )
    .where('own.id', '=', callId)
    .orderBy('other.position')
}
