import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import type { AgentDesk } from '../harness/fixtures/agent-desk.ts'

/** A context of a desk on a connection of its own, such as one whose queries are counted. */
export function contextOn<T extends AgentDesk['api'] | AgentDesk['worker']>(db: Db, ctx: T): T {
  const { verifier, memory, log } = ctx
  return { ...ctx, db, policies: createPolicyReader({ db, verifier, memory, log }) }
}

/** A database with one connection: what Postgres counts or plans for a session is all in it. */
export function oneConnection(url: string): Db {
  return connectDatabase({ url, poolSize: 1, applicationName: 'one connection' })
}
