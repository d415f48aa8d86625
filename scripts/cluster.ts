import { parseArgs } from 'node:util'
import { startCluster } from './cluster/start-cluster.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { stopSignal } from '#runtime/supervisor/stop-signals.ts'

/**
 * `npm run cluster [-- --project DIR --data DIR]`: the production setup of docker-compose.yml
 * without Docker, until Ctrl-C.
 */
const { values } = parseArgs({ options: { project: { type: 'string' }, data: { type: 'string' } } })
const signal = stopSignal()
const cluster = await startCluster({
  ...values,
  environment: processEnvironment(),
  log: (sentence) => console.log(sentence),
})
for (const api of cluster.apis) console.log(`API ${api.url} (process ${api.identity.pid})`)
for (const worker of cluster.workers)
  console.log(`Temporal worker (process ${worker.identity.pid})`)
console.log(`Temporal ${cluster.temporalAddress}, namespace ${cluster.namespace}`)
for (const api of cluster.apis) console.log(`ready ${api.url}`)
await signal
console.log('stopping')
await cluster.stop()
process.exit(0)
