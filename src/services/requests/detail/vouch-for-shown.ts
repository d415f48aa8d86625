import { hashJson } from '#domain/json/digest.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type { ServiceContext } from '../../core/context.ts'
import { readDecisionFacts } from '../facts/decision-facts.ts'
import type { RequestItemRecord } from '../facts/request-record.ts'

/** What a page shows of a pending request, as it was read. */
export interface DisplayedRequest {
  readonly requestId: string
  readonly inputHash: string
  readonly presentation: Presentation
}

/** A presentation whose contents are those that its digest states. */
export function isWhole({ digest, ...contents }: Presentation): boolean {
  return hashJson(contents) === digest
}

/**
 * Why nobody can decide by what is shown: a row of the request was changed by others than the
 * service. A decision is refused while it is so; who changes it back would otherwise have people
 * decide by something else than what runs (security.md 29). `null`: it is as it was opened.
 */
export async function whyNotVouched(
  ctx: Pick<ServiceContext, 'db' | 'seals'>,
  { requestId, inputHash, presentation }: DisplayedRequest,
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
  const reason =
    "you can't decide: rows of this request were changed in the database, and not by the service"
  return { canDecide: false, reason }
}
