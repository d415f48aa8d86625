import type { Selectable } from 'kysely'
import type { EditsPolicy } from '../../../domain/verdict.ts'
import { revisedRouting } from '../../../domain/deciding/waiting-steps.ts'
import { toJsonb } from '../../../store/database.ts'
import type { RequestTable } from '../../../store/tables/requests.ts'
import type { Caller, RemoteJudgement, StoredPresentation } from '../../context.ts'
import { noteFiles } from '../../requests/note-files.ts'
import type { UnitOfWork } from '../../unit-of-work.ts'
import { aboutRequest } from '../ending/end-request.ts'
import { putSaltedText } from '../salted-text.ts'
import { signatureMark } from '../signing/needs-signature.ts'

/**
 * Writes the next revision of a locked, pending request: the call is asked under what policy says of it now, so that an
 * edit can never slip a call past a stricter quorum. Votes belong to a revision, so the tally is empty.
 */
export async function writeRevision(
  unit: UnitOfWork,
  caller: Caller,
  change: {
    readonly request: Selectable<RequestTable>
    readonly personId: string
    readonly judged: RemoteJudgement
    readonly presented: StoredPresentation
    readonly edits: EditsPolicy
    readonly reason: string | null
  },
): Promise<void> {
  const { request, personId, presented } = change
  const { judgement } = change.judged
  const taken = request.steps_taken?.length ?? 0
  const routing = revisedRouting(request.routing, taken, judgement.routing ?? request.routing)
  const risk = judgement.routing === null ? request.risk : judgement.risk
  const revision = request.revision + 1
  const reasonHash = change.reason === null ? null : await putSaltedText(unit.tx, change.reason)
  await unit.tx
    .insertInto('request_revision')
    .values({
      request_id: request.id,
      revision,
      title: presented.title,
      digest: judgement.digest,
      input_hash: presented.inputHash,
      facts: toJsonb(presented.facts),
      presentation_hash: presented.presentationHash,
      presentation_digest: presented.presentationDigest,
      content_hash: presented.contentHash,
      content_type: presented.contentType,
      editor_id: personId,
      reason_hash: reasonHash,
    })
    .execute()
  await noteFiles(unit.tx, request.id, presented)
  await unit.tx
    .updateTable('request')
    .set({
      revision,
      title: presented.title,
      digest: judgement.digest,
      policy_digest: judgement.policyDigest,
      rule: toJsonb(judgement.routing === null ? request.rule : (judgement.rule ?? request.rule)),
      risk,
      queue: routing.queue,
      team: routing.team,
      routing: toJsonb(routing),
    })
    .where('id', '=', request.id)
    .where('revision', '=', request.revision)
    .execute()
  if (change.edits === 'revise') {
    await unit.tx
      .insertInto('request_principal')
      .values({ request_id: request.id, person_id: personId, why: 'edited' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
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
