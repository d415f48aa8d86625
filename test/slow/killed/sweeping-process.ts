import { keepRetention } from '#delivery/retention.ts'
import { connectDatabase } from '#store/database.ts'
import { createTestService } from '../../harness/fixtures/test-service.ts'

/**
 * A process that sweeps a database by rules of 90 and 30 days, and then says so; a test kills it in
 * the middle.
 */
const [url = ''] = process.argv.slice(2)
const day = 24 * 60 * 60 * 1000
const db = connectDatabase({ url, poolSize: 4, applicationName: 'sweeping' })
const { ctx, policy } = await createTestService(db)
const config = { ...policy.config, retention: { transcriptsMs: 90 * day, recordsMs: 30 * day } }
const policies = { ...ctx.policies, inForce: async () => ({ ...policy, config }) }
await keepRetention({ ...ctx, policies }, new AbortController().signal)
await db.destroy()
console.log('swept')
