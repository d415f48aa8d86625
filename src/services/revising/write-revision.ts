import type { Selectable } from 'kysely'
import type { EditsPolicy } from '#domain/policy/verdict.ts'
import { revisedRouting } from '#domain/deciding/waiting-steps.ts'
import { principalsDigest } from '#domain/statements/row-seals.ts'
import { toJsonb } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller } from '../core/context.ts'
import type { RemoteJudgement, StoredPresentation } from '../core/host-queries.ts'
import { insertRevision } from '../requests/opening/insert-revision.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import { aboutRequest } from '../requests/ending/end-request.ts'
import type { DecisionFacts } from '../requests/facts/decision-facts.ts'
import { putSaltedText } from '../requests/words/salted-text.ts'
import { signatureMark } from '../requests/facts/needs-signature.ts'

/** A judged change of a request's call. */
interface RevisionChange {
  readonly request: Selectable<RequestTable>
  readonly personId: string
  /** the people behind the earlier revisions */
  readonly principals: DecisionFacts['principals']
  /** everybody with an edit in its history */
  readonly editors: DecisionFacts['editors']
  readonly judged: RemoteJudgement
  readonly presented: StoredPresentation
  readonly edits: EditsPolicy
  readonly reason: string | null
}

/**
 * Writes the next revision of a locked, pending request under the present policy, so that no edit
 * evades a stricter quorum. Votes belong to a revision, so it begins without any.
 */
export async function writeRevision(
  unit: UnitOfWork,
  caller: Caller,
  change: RevisionChange,
): Promise<void> {
  const { request, personId, presented } = change
  const { judgement } = change.judged
  const routing = revisedRouting(request.routing, judgement.routing ?? request.routing)
  const risk = judgement.routing === null ? request.risk : judgement.risk
  const revision = request.revision + 1
  const reasonHash = change.reason === null ? null : await putSaltedText(unit.tx, change.reason)
  await insertRevision(
    unit,
    { requestId: request.id, revision, digest: judgement.digest },
    presented,
    { editorId: personId, reasonHash },
  )
  // Includes earlier editors, even if they could still decide then: their words are in the call.
  const editors = change.edits === 'revise' ? new Set([...change.editors, personId]) : []
  const added = [...editors].map((editor) => ({ personId: editor, why: 'edited' }))
  const behind = [...change.principals, ...added]
  const changed = {
    revision,
    digest: judgement.digest,
    policy_digest: judgement.policyDigest,
    risk,
    queue: routing.queue,
    team: routing.team,
    routing,
    principals_digest: principalsDigest(behind),
    title: presented.title,
    rule: judgement.routing === null ? request.rule : (judgement.rule ?? request.rule),
  }
  await unit.tx
    .updateTable('request')
    .set({
      ...changed,
      routing: toJsonb(routing),
      rule: toJsonb(changed.rule),
      seal: unit.seals.again('request', request, changed),
    })
    .where('id', '=', request.id)
    .where('revision', '=', request.revision)
    .execute()
  await insertPrincipals(unit, request.id, added)
  await unit.audit({
    type: 'request.revised',
    actor: caller.actor,
    channel: caller.channel,
    ...aboutRequest(request),
    digest: judgement.digest,
    policyDigest: judgement.policyDigest,
    detail: {
      revision,
      from: request.digest,
      edits: change.edits,
      factsDigest: presented.factsDigest,
      presentationDigest: presented.presentationDigest,
      reason: reasonHash,
      ...signatureMark({ kind: request.kind, risk, routing }),
    },
  })
  await unit.event('request.changed', { requestId: request.id, runId: request.run_id })
}

async function insertPrincipals(
  unit: UnitOfWork,
  requestId: string,
  added: readonly { readonly personId: string; readonly why: string }[],
): Promise<void> {
  if (added.length === 0) return
  await unit.tx
    .insertInto('request_principal')
    .values(added.map(({ personId, why }) => ({ request_id: requestId, person_id: personId, why })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
