import { readFileSync, readdirSync } from 'node:fs'
import { startEmbeddedPostgres } from '#runtime/embedded/postgres.ts'

/**
 * A process that starts a Postgres and holds it until it is killed; told `abandon`, it kills the
 * launcher too.
 */
const server = await startEmbeddedPostgres({
  dataDir: process.argv[2] ?? '',
  log: () => undefined,
  durable: true,
})
console.log(JSON.stringify({ url: server.url, pid: server.pid }))
process.stdin.on('data', () => {
  for (const pid of launchersOf(server.pid)) process.kill(pid, 'SIGKILL')
  process.kill(process.pid, 'SIGKILL')
})

/** The shells in the server's process group: all of it but the server itself. */
function launchersOf(serverPid: number): number[] {
  const group = fieldsOf(serverPid)[2]
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== serverPid && fieldsOf(pid)[2] === group)
}

function fieldsOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
