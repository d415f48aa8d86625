import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import type { Db } from '#store/database.ts'
import type { AgentDesk } from '../harness/fixtures/agent-desk.ts'

/** A context of a desk on a connection of its own, such as one whose queries are counted. */
export function contextOn<T extends AgentDesk['api'] | AgentDesk['worker']>(db: Db, ctx: T): T {
  const { verifier, memory, log } = ctx
  return { ...ctx, db, policies: createPolicyReader({ db, verifier, memory, log }) }
}
