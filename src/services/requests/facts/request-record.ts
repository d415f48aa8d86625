import type { CallFacts } from '#domain/requests/request.ts'
import type { Rule } from '#domain/policy/verdict.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { RecordOf } from '../../core/record-of.ts'

/**
 * A row of a list, the same for everybody except `eligibility`. The schema of the answer declares
 * its members. `workspace` is the name of the workspace that the call is about.
 */
export interface RequestItemRecord extends Omit<RecordOf<RequestItem>, 'rule'> {
  readonly rule: Rule
  readonly workspace: string
}

type Detail = RecordOf<RequestDetail>
/** Members of the answer that its view computes from others. */
type ViewMember = 'externalId' | 'verdict' | 'metadata' | 'workspaceRoot'

/** Everything of one request. `version`, the `ETag`, changes with any member. */
export interface RequestDetailRecord extends Omit<
  Detail,
  ViewMember | 'rule' | 'presentation' | 'facts'
> {
  readonly rule: Rule
  readonly workspace: string
  readonly presentation: Presentation
  readonly facts: CallFacts
  readonly version: string
}

export type LineageRecord = RequestItemRecord['lineage'][number]
/** A person as others see them: the canonical id and the name. */
export type PersonRef = NonNullable<LineageRecord['startedBy']>
export type QuorumRecord = RequestItemRecord['quorum']
export type ExecutionRecord = RequestItemRecord['execution']
export type StepRecord = RequestItemRecord['steps'][number]
export type ClaimRecord = NonNullable<RequestItemRecord['claim']>
export type HandoverRecord = NonNullable<RequestItemRecord['handedTo']>
export type TaskRecord = NonNullable<RequestItemRecord['task']>
export type AlikeCounts = RequestItemRecord['alike']
export type AlikeRecord = RequestDetailRecord['alike']
/** An earlier or other request of the same or a similar call. */
export type AlikeRequestRecord = AlikeRecord['same'][number]
export type DecisionRecord = RequestDetailRecord['decisions'][number]
export type ExternalItemRecord = NonNullable<RequestItemRecord['external']>
export type ExternalRecord = NonNullable<RequestDetailRecord['external']>
/** A key or person as other people see them in a request: id and name only. */
export type NamedRef = ExternalItemRecord['key']
