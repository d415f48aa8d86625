import { lstatSync } from 'node:fs'
import { commandLimits } from '../process/command-limits.ts'
import { findSandbox } from './find-sandbox.ts'
import { runSandboxed } from './run-sandboxed.ts'

/**
 * A process of its own, which may be another person's, that runs one script in a sandbox and prints
 * how it ended.
 */
const [zone = '', script = '', bounds = '{}'] = process.argv.slice(2)
const sandbox = await findSandbox('bwrap')
if (!sandbox.works) throw new Error(sandbox.problem)
const { dev, ino } = lstatSync(zone, { bigint: true })
const end = await runSandboxed({
  ...sandbox,
  plan: {
    zones: [{ path: zone, mode: 'rw', identity: `${dev}:${ino}` }],
    readOnly: [],
    pinned: [],
    covered: [],
    emptied: [],
    copies: [],
    cwd: zone,
    cwdIdentity: null,
  },
  argv: ['/bin/bash', '-c', script],
  timeoutMs: 90_000,
  limits: { ...commandLimits, ...(JSON.parse(bounds) as object) },
  network: 'none',
  signal: new AbortController().signal,
})
const { exceeded, exitCode, stderr, stdout, timedOut } = end
console.log(
  JSON.stringify({
    exitCode,
    exceeded,
    timedOut,
    stdout: stdout.bytes.toString(),
    stderr: stderr.bytes.toString(),
  }),
)
