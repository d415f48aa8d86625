import type { Policy } from '#policy/policy.ts'
import { onOneConnection, together } from '#store/connection/side-by-side.ts'
import { getText, textOfRow, type PackedContent } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import type { SystemContext } from '../../core/context.ts'
import { readCall, type CallAtHand } from '../attempts/call-at-hand.ts'

/** What the plan of a call needs besides the call, as far as it was read with it. */
export interface PlanReadings {
  /** the row of the input of the request's current revision, or of a call without a request */
  readonly input: (PackedContent & { readonly hash: string }) | null
  /** the policy in force; `null`: it could not be read */
  readonly policy: Policy | null
}

/**
 * Reads a call and what its plan needs, in one round trip on one connection. After a pause the pool
 * has closed all connections but one, and a second one would have to be opened.
 */
export async function readToPlan(
  ctx: SystemContext,
  callId: string,
): Promise<{ readonly at: CallAtHand | null; readonly readings: PlanReadings }> {
  return onOneConnection(ctx.db, async (on) => {
    const [at, input, policy] = await together([
      readCall(on, callId),
      readInput(on, callId),
      // A later step that needs the policy reads it again, and gets the error then.
      ctx.policies.inForce(on).catch(() => null),
    ])
    return { at, readings: { input, policy } }
  })
}

async function readInput(on: Tx, callId: string): Promise<PlanReadings['input']> {
  const row = await on
    .selectFrom('tool_call')
    .leftJoin('request', 'request.id', 'tool_call.request_id')
    .leftJoin('request_revision as made', (join) =>
      join
        .onRef('made.request_id', '=', 'request.id')
        .onRef('made.revision', '=', 'request.revision'),
    )
    .innerJoin('content', (join) =>
      join.on('content.hash', '=', (of) =>
        of.fn.coalesce('made.input_hash', 'tool_call.input_hash'),
      ),
    )
    .select(['content.hash', 'content.encoding', 'content.bytes'])
    .where('tool_call.id', '=', callId)
    .executeTakeFirst()
  return row ?? null
}

/** The text of an input: of the row that was read with the call, unless it is another one. */
export async function readInputText(
  { db }: SystemContext,
  hash: string,
  { input }: PlanReadings,
): Promise<string> {
  return input?.hash === hash ? textOfRow(input) : getText(db, hash)
}

/** The context in which the policy that was read with the call is in force. */
export function withPolicyOf<Ctx extends SystemContext>(ctx: Ctx, { policy }: PlanReadings): Ctx {
  if (policy === null) return ctx
  return { ...ctx, policies: { ...ctx.policies, inForce: async () => policy } }
}
