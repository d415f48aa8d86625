import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'

/**
 * Remembers a signature; false when it was received before. Signatures are valid for five minutes
 * before and after their time, and forgotten after 15.
 */
export async function rememberSignature(ctx: ServiceContext, signature: string): Promise<boolean> {
  await ctx.db
    .deleteFrom('slack_heard')
    .where('at', '<', sql<Date>`clock_timestamp() - interval '15 minutes'`)
    .execute()
  const { numInsertedOrUpdatedRows } = await ctx.db
    .insertInto('slack_heard')
    .values({ signature })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
