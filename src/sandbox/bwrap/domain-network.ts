import { spawn } from 'node:child_process'
import type { Server } from 'node:net'
import { createDomainProxy } from '../proxy/domain-proxy.ts'
import { systemHost } from '../proxy/judge-target.ts'
import { commandEnvironment } from './command-environment.ts'
import type { NetworkWay } from './network-way.ts'

/** The port of the proxy on the loopback of the command's network, which has nothing else. */
const proxyPort = 3128
const proxyUrl = `http://127.0.0.1:${proxyPort}`

/** The variables by which a command with listed domains finds the proxy. */
export const proxyEnvironment: Readonly<Record<string, string>> = {
  HTTPS_PROXY: proxyUrl,
  HTTP_PROXY: proxyUrl,
  NODE_USE_ENV_PROXY: '1',
  NO_PROXY: 'localhost,127.0.0.1',
  http_proxy: proxyUrl,
  https_proxy: proxyUrl,
  no_proxy: 'localhost,127.0.0.1',
}

/** For the sandbox's resolver file: nothing inside resolves names. */
export const noResolver = '# Names are resolved by the proxy.\n'

const withinMs = 15_000

/**
 * Runs in the sandbox's network and in no other of its namespaces: opens the socket there, and
 * passes it to this process, which answers it from the host's network.
 */
const listen = `const server = require('node:net').createServer()
server.listen(${proxyPort}, '127.0.0.1', () => process.send('', server, () => process.exit()))`

/**
 * Permits a sandbox to reach the listed domains through a proxy in this process. Its network has no
 * route, only the loopback with the proxy's socket.
 */
export function leadToDomains(first: number, entries: readonly string[]): NetworkWay {
  const proxy = createDomainProxy(entries, systemHost)
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  let listening: Server | null = null
  let over = false
  const child = spawn(
    'nsenter',
    [
      `--target=${first}`,
      '--user',
      '--net',
      '--preserve-credentials',
      process.execPath,
      '-e',
      listen,
    ],
    { env: commandEnvironment, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], timeout: withinMs },
  )
  let errors = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    errors = `${errors}${bytes.toString('utf8')}`.slice(0, 2000)
  })
  child.once('message', (_, handle) => {
    const server = handle as Server
    if (over) return void server.close()
    listening = server
    proxy.serve(server)
  })
  child.once('error', (error: NodeJS.ErrnoException) =>
    reject(new Error(error.code === 'ENOENT' ? 'nsenter is not installed' : error.message)),
  )
  child.once('close', (code) => {
    // From now on nobody else can accept connections there.
    if (listening !== null) return resolve()
    const why = errors.trim().split('\n')[0] ?? ''
    reject(new Error(`its proxy cannot be opened (${why === '' ? (code ?? 'a signal') : why})`))
  })
  return {
    ready: promise,
    refusals: () => proxy.refusals(),
    close() {
      over = true
      child.kill('SIGKILL')
      listening?.close()
      proxy.close()
    },
  }
}
