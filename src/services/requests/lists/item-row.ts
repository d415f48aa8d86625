import type { Selectable } from 'kysely'
import type { StoredCue } from '#domain/policy/cues.ts'
import type { PermitState } from '#domain/requests/request.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import type { ExecutionTable } from '#store/tables/runs.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Voter } from '../facts/tally-votes.ts'
import type { ExternalItemJson } from './external-item.ts'
import type { AlikeCounts, LineageRecord, PersonRef } from '../facts/request-record.ts'

export type ExecutionJson = Omit<Selectable<ExecutionTable>, 'started_at' | 'finished_at'> & {
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** What the one query returns for each request; instants inside JSON are text. */
export interface ItemRow extends Omit<Selectable<RequestTable>, 'number'> {
  readonly number: string
  readonly worker: string | null
  readonly mode: RunMode | null
  readonly workspace: string | null
  readonly tool_call_id: string | null
  readonly manual: { invokedBy: PersonRef; afterTurn: number } | null
  readonly batch_size: number
  readonly claim: { person: PersonRef; at: string; leaseUntil: string } | null
  readonly handed_to: { person: PersonRef; by: PersonRef; at: string } | null
  readonly snoozed_until: Date | null
  readonly lineage: readonly LineageRecord[]
  readonly votes: readonly Voter[]
  readonly permit: { state: PermitState; deciders: readonly string[] | null } | null
  readonly voted: boolean
  readonly behind: readonly { personId: string; why: string }[]
  readonly execution: ExecutionJson | null
  readonly decided_by: PersonRef | null
  readonly viewer: { id: string; enabled: boolean; teams: string[] } | null
  readonly over: boolean
  readonly before_restore: boolean
  readonly alike: AlikeCounts
  readonly external: ExternalItemJson | null
  readonly effect: string | null
  readonly cues: readonly StoredCue[] | null
  readonly task: TaskJson | null
  readonly claimed_task: string | null
}

export interface TaskJson {
  readonly hash: string
  /** the input of the run; `false`: a message's text */
  readonly isInput: boolean
  /** what is left of it: 0 if it was removed */
  readonly bytes: number | null
  readonly title: string
  readonly by: PersonRef | null
  readonly at: string
  readonly later: number
}
