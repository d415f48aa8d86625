import { sql } from 'kysely'
import type { requestHeadline } from '#domain/requests/request-headline.ts'
import type { NarrowedScopes } from '#domain/policy/narrowed-scopes.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import type { CallFacts, Quorum, RunState } from '#domain/requests/request.ts'
import type { EditsPolicy } from '#domain/policy/verdict.ts'
import type { Db, Tx } from '#store/database.ts'
import type { RequestErasure } from '../words/erased-requests.ts'
import type { DecisionRecord, RequestDetailRecord } from '../facts/request-record.ts'
import { titleInputHash } from '../facts/call-title.ts'
import { commentRows, type CommentRow } from '../facts/comment-rows.ts'
import { awayUntil } from '../people/away.ts'
import type { EligibleRow } from '../people/fills-place.ts'
import { isQuestionTo } from '../people/visible-to.ts'
import { isDecider } from '../people/who-decides.ts'

type Sibling = NonNullable<RequestDetailRecord['batch']>['siblings'][number]
/** A call without a request has no headline: its title is made from the input. */
type StoredSibling = Omit<Sibling, 'title'> & {
  readonly headline: Parameters<typeof requestHeadline>[0] | null
  readonly titleInput: string | null
}
type Previous = RequestDetailRecord['previous'][number]
type Revision = RequestDetailRecord['revisions'][number]
/** What people wrote is read by its hash, instants are text. */
type StoredForm<T, Keys extends keyof T> = Omit<T, Keys> & { readonly reasonHash: string | null }

/** The facts of a request's own page besides its item. */
export interface DetailRow {
  readonly input_hash: string
  readonly presentation_hash: string
  readonly presentation_digest: string
  readonly facts: CallFacts
  readonly edits: EditsPolicy
  readonly signature: Routing['signature']
  readonly narrowed: NarrowedScopes | null
  readonly outcome_of: string | null
  readonly erased: (Omit<RequestErasure, 'at'> & { readonly at: string }) | null
  readonly quorum: Quorum
  readonly selfApproval: boolean
  readonly eligible: readonly EligibleRow[]
  readonly finished: boolean
  readonly other_requests: number
  readonly run_state: RunState | null
  readonly siblings: readonly StoredSibling[]
  readonly decisions: readonly (StoredForm<DecisionRecord, 'reason' | 'at'> & { at: string })[]
  readonly previous: readonly StoredForm<Previous, 'reason'>[]
  readonly revisions: readonly (StoredForm<Revision, 'reason' | 'at'> & { at: string })[]
  readonly comments: readonly CommentRow[]
}

/** Reads them in one query. The caller has judged that the request may be seen. */
export async function readDetail(db: Db | Tx, requestId: string): Promise<DetailRow> {
  const { rows } = await sql<DetailRow>`
    select r.input_hash, r.presentation_hash, r.presentation_digest, r.facts,
      request.routing->>'edits' as edits, request.routing->>'signature' as signature, request.routing->'narrowed' as narrowed,
      request.routing->'quorum' as quorum, request.routing->'selfApproval' = 'true'::jsonb as "selfApproval", request.outcome_of,
      (select json_build_object('at', e.at, 'by', json_build_object('id', p.id, 'name', p.name), 'contents', e.contents)
        from erased_request e join person p on p.id = e.by_id where e.request_id = request.id) as erased,
      (select coalesce(json_agg(json_build_object('id', p.id, 'name', p.name,
          'awayUntil', ${awayUntil('p')}, 'otherIds', coalesce(p.other_ids, '{}'),
          'teams', array(select t.team from team_member t where t.person_id = p.id)) order by p.name, p.id), '[]')
        from person p where p.disabled_at is null
          and (${isQuestionTo('request', sql.ref('p.id'))} or ${isDecider('request', 'p')})
      ) as eligible,
      exists (select 1 from tool_call c where c.id = request.call_id and c.finished_at is not null) as finished,
      (select count(*)::int from request other where other.call_id = request.call_id
        and other.id <> request.id and other.state = 'pending' and other.kind <> 'outcome_check') as other_requests,
      (select run.state from run where run.id = request.run_id) as run_state,
      (select coalesce(json_agg(json_build_object('callId', c.id, 'tool', c.tool,
          'headline', case when asked.id is not null then json_build_object('kind', asked.kind,
            'title', asked.title, 'effect', coalesce(shown.effect, asked.title)) end, 'titleInput', ${titleInputHash('c')}, 'verdict', c.verdict,
          'requestId', asked.id, 'state', asked.state, 'finished', c.finished_at is not null) order by c.position), '[]')
        from tool_call c left join request asked on asked.id = c.request_id
        left join request_revision shown on shown.request_id = asked.id and shown.revision = asked.revision
        where c.run_id = request.run_id and c.turn = request.turn and c.id <> request.call_id) as siblings,
      (select coalesce(json_agg(json_build_object('decisionId', d.id,
          'person', json_build_object('id', p.id, 'name', p.name), 'decision', d.decision, 'at', d.at,
          'revision', d.revision, 'reasonHash', d.reason_hash, 'selfApproved', d.self_approved,
          'edited', d.edited, 'scope', d.scope, 'then', d.denied_then,
          'batchDecisionId', d.batch_decision_id, 'signedWith', passkey.name) order by d.at, d.id), '[]')
        from decision d join person p on p.id = d.person_id
        left join credential passkey on passkey.id = d.credential_id
        where d.request_id = request.id) as decisions,
      (select coalesce(json_agg(json_build_object('requestId', old.id, 'state', old.state,
          'decidedBy', last.name, 'reasonHash', last.reason_hash) order by place.n), '[]')
        from unnest(request.previous) with ordinality as place(id, n)
        join request old on old.id = place.id
        left join lateral (
          select p.name, d.reason_hash from decision d join person p on p.id = d.person_id
          where d.request_id = old.id and d.revision = old.revision and old.state in ('approved', 'denied')
          order by d.at desc, d.id desc limit 1) last on true) as previous,
      (select coalesce(json_agg(json_build_object('revision', v.revision, 'digest', v.digest, 'title', v.title,
          'editor', case when p.id is null then null else json_build_object('id', p.id, 'name', p.name) end,
          'reasonHash', v.reason_hash, 'at', v.created_at) order by v.revision), '[]')
        from request_revision v left join person p on p.id = v.editor_id
        where v.request_id = request.id) as revisions,
      ${commentRows} as comments
    from request
    join request_revision r on r.request_id = request.id and r.revision = request.revision
    where request.id = ${requestId}
  `.execute(db)
  const row = rows[0]
  if (row === undefined) throw new Error(`Request ${requestId} has no revision`)
  return row
}
