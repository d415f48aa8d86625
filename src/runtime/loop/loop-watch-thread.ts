import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { WatchSetup } from './loop-turns.ts'
import { sendFromWatch } from './send-from-watch.ts'

/** Runs in a thread beside the loop that it watches (loop-turns.ts). */
const { turns, lateMs, wedgedMs, address } = workerData as WatchSetup
const count = new Int32Array(turns)
const lookEveryMs = 1000

let lastCount = 0
/** Counted in checks and not by the clock, because nothing is watched while a machine sleeps. */
let silentMs = 0

setInterval(() => {
  const now = Atomics.load(count, 0)
  silentMs = now === lastCount ? silentMs + lookEveryMs : 0
  lastCount = now
  if (silentMs < wedgedMs) return
  const sentence = `the event loop has been blocked for ${wedgedMs / 1000} s: the process ends, to be started again`
  // Written directly to the descriptor: a thread's own streams need the loop that is blocked.
  writeSync(2, `${JSON.stringify({ level: 60, msg: sentence })}\n`)
  process.kill(process.pid, 'SIGKILL')
}, lookEveryMs)

if (address === null) sendFromWatch({ serves: null })
else {
  // Only a thread that serves loads HTTP, which takes 7 MiB.
  const { serveWatch } = await import('./serve-watch.ts')
  serveWatch(address, { lateMs, silentMs: () => silentMs })
}
