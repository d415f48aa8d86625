import { spawn, spawnSync } from 'node:child_process'
import { lstatSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { newFolder } from '#test/harness/new-folder.ts'
import { commandLimits } from '../process/command-limits.ts'
import { findSandbox } from './find-sandbox.ts'
import { runSandboxed } from './run-sandboxed.ts'

/**
 * A network with two machines and nobody else, for attacks on `network: allow` and, when `DOMAINS`
 * is set, on a list of domains (their addresses are in `HOSTS`): started in network and user
 * namespaces of its own, this process is the service's host, 93.184.215.1. The other one has the
 * addresses below and answers on all of them. Prints what a command in the sandbox reaches.
 */
const [script = '', ...addresses] = process.argv.slice(2)
const { DOMAINS, HOSTS } = process.env
if (HOSTS !== undefined) {
  const hosts = path.join(newFolder('hosts-'), 'hosts')
  writeFileSync(hosts, HOSTS)
  spawnSync('mount', ['--bind', hosts, '/etc/hosts'])
}

function ip(...args: string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`)
}

const server = `
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import sys
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b'reached')
    def log_message(self, *_): pass
print('ready', flush=True)
ThreadingHTTPServer(('0.0.0.0', 8080), Answer).serve_forever()
`

const other = spawn('unshare', ['--net', 'python3', '-c', `${server}`], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
await new Promise((resolve) => other.stdout.once('data', resolve))
const own = spawn('python3', ['-c', server], { stdio: ['ignore', 'pipe', 'inherit'] })
await new Promise((resolve) => own.stdout.once('data', resolve))
try {
  const inOther = (...args: string[]): void => {
    const words = [`--target=${other.pid}`, '--net', 'ip', ...args]
    const { status, stderr } = spawnSync('nsenter', words, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`)
  }
  ip('link', 'set', 'lo', 'up')
  ip('link', 'add', 'here', 'type', 'veth', 'peer', 'name', 'there', 'netns', String(other.pid))
  ip('addr', 'add', '93.184.215.1/24', 'dev', 'here')
  ip('link', 'set', 'here', 'up')
  inOther('link', 'set', 'there', 'up')
  inOther('link', 'set', 'lo', 'up')
  inOther('addr', 'add', '93.184.215.7/24', 'dev', 'there')
  for (const address of addresses) {
    inOther('addr', 'add', `${address}/32`, 'dev', 'there')
    ip('route', 'add', `${address}/32`, 'via', '93.184.215.7')
  }
  const folder = newFolder('network-world-')
  const { dev, ino } = lstatSync(folder, { bigint: true })
  const sandbox = await findSandbox('bwrap')
  if (!sandbox.works) throw new Error(sandbox.problem)
  const run = (argv: readonly string[]) =>
    runSandboxed({
      ...sandbox,
      plan: {
        zones: [{ path: folder, mode: 'rw', identity: `${dev}:${ino}` }],
        readOnly: [],
        copies: [],
        pinned: [],
        covered: [],
        emptied: [],
        cwd: folder,
        cwdIdentity: null,
      },
      argv,
      timeoutMs: 60_000,
      limits: commandLimits,
      network: DOMAINS === undefined ? 'allow' : (JSON.parse(DOMAINS) as string[]),
      signal: new AbortController().signal,
    })
  // The host itself must reach what the sandbox must not: otherwise a test proves nothing.
  const reach = (): string =>
    spawnSync('python3', ['-c', script, '93.184.215.7', '93.184.215.1', ...addresses], {
      encoding: 'utf8',
    }).stdout
  let fromHost = reach()
  for (let tries = 0; !fromHost.includes('93.184.215.7 reached') && tries < 50; tries += 1) {
    await delay(100)
    fromHost = reach()
  }
  const end = await run(['python3', '-c', script, '93.184.215.7', '93.184.215.1', ...addresses])
  console.log(
    JSON.stringify({
      host: fromHost.trim().split('\n'),
      sandbox: end.stdout.bytes.toString().trim().split('\n'),
      errors: end.stderr.bytes.toString(),
      refused: end.refused,
    }),
  )
} finally {
  other.kill('SIGKILL')
  own.kill('SIGKILL')
}
