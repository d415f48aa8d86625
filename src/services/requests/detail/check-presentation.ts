import { hashJson } from '#domain/json/digest.ts'
import { cannotText } from '#domain/deciding/eligibility.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import { needOfRequests } from '#domain/runs/need-of-run.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type { ServiceContext } from '../../core/context.ts'
import { readDecisionFacts } from '../facts/decision-facts.ts'
import type { RequestItemRecord } from '../facts/request-record.ts'

/** The rows that a page shows of a pending request. */
export interface DisplayedRequest {
  readonly requestId: string
  readonly kind: RequestKind
  readonly inputHash: string
  readonly presentation: Presentation
}

/** Whether the digest of a presentation is that of its contents. */
export function isWhole({ digest, ...contents }: Presentation): boolean {
  return hashJson(contents) === digest
}

/**
 * Why nobody can decide by the presentation: somebody changed a row of the request by SQL.
 * Decisions are refused meanwhile; otherwise people could decide about something else than what
 * runs (security.md 29). `null`: it is unchanged.
 */
export async function presentationProblem(
  ctx: Pick<ServiceContext, 'db' | 'seals'>,
  { requestId, kind, inputHash, presentation }: DisplayedRequest,
): Promise<RequestItemRecord['eligibility'] | null> {
  const { revision, tampered } = await readDecisionFacts(
    { tx: ctx.db, seals: ctx.seals },
    requestId,
    { personId: null, sessionHash: null },
  )
  const isSame =
    revision.inputHash === inputHash &&
    revision.presentationDigest === presentation.digest &&
    isWhole(presentation)
  if (tampered === null && isSame) return null
  const why = 'rows of this request were changed in the database, and not by the service'
  return { canDecide: false, reason: cannotText(needOfRequests([{ kind }]), why) }
}
