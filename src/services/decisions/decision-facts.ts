import { sql } from 'kysely'
import type { CallFacts } from '../../domain/request.ts'
import type { Scope } from '../../domain/verdict.ts'
import type { Tx } from '../../store/database.ts'
import { askedBeforeRestore } from '../requests/asked-before-restore.ts'
import type { GrantBounds } from './decision-input.ts'

/** An approval of the current revision, with its giver as they are now. */
export interface StandingVote {
  readonly personId: string
  readonly name: string
  readonly enabled: boolean
  readonly teams: readonly string[]
  readonly scope: Scope
  readonly bounds: GrantBounds | null
}

/** What a decision is judged by, read in its transaction with the row locked. */
export interface DecisionFacts {
  readonly now: Date
  readonly epoch: number
  /** of the run's workflow; `null` for a request of no run */
  readonly workflowId: string | null
  readonly revision: {
    readonly digest: string
    readonly inputHash: string
    readonly facts: CallFacts
    readonly presentationDigest: string
    readonly editorId: string | null
  }
  readonly person: {
    readonly id: string
    readonly name: string
    readonly enabled: boolean
    readonly teams: readonly string[]
  } | null
  readonly principals: readonly { readonly personId: string; readonly why: string }[]
  readonly votes: readonly StandingVote[]
  /** the person decided this revision before */
  readonly voted: boolean
  readonly askedBeforeRestore: boolean
}

/**
 * Reads it all in one query: the clock, the epoch, the current revision, the person who decides (`null` for a machine),
 * the people behind the request, and the approvals so far with their givers' membership as it is now (product.md 18).
 */
export async function readDecisionFacts(
  tx: Tx,
  requestId: string,
  personId: string | null,
): Promise<DecisionFacts> {
  const result = await sql<DecisionFacts>`
    select
      clock_timestamp() as now,
      (select epoch from installation) as epoch,
      (select workflow_id from run where run.id = request.run_id) as "workflowId",
      (select json_build_object(
          'digest', r.digest, 'inputHash', r.input_hash, 'facts', r.facts,
          'presentationDigest', r.presentation_digest, 'editorId', r.editor_id)
        from request_revision r where r.request_id = request.id and r.revision = request.revision) as revision,
      (select json_build_object(
          'id', person.id, 'name', person.name, 'enabled', person.disabled_at is null,
          'teams', array(select team from team_member where person_id = person.id))
        from person where person.id = ${personId}) as person,
      (select coalesce(json_agg(json_build_object('personId', p.person_id, 'why', p.why)), '[]')
        from request_principal p where p.request_id = request.id) as principals,
      (select coalesce(json_agg(json_build_object(
          'personId', d.person_id, 'name', person.name, 'enabled', person.disabled_at is null,
          'teams', array(select team from team_member where person_id = d.person_id),
          'scope', d.scope, 'bounds', d.grant_bounds) order by d.at, d.id), '[]')
        from decision d join person on person.id = d.person_id
        where d.request_id = request.id and d.revision = request.revision and d.decision = 'approve') as votes,
      exists (select 1 from decision d where d.request_id = request.id and d.revision = request.revision
        and d.person_id = ${personId}) as voted,
      ${askedBeforeRestore} as "askedBeforeRestore"
    from request where request.id = ${requestId}
  `.execute(tx)
  const facts = result.rows[0]
  if (facts?.revision === undefined || facts.revision === null) {
    throw new Error(`Request ${requestId} has no revision to decide`)
  }
  return facts
}
