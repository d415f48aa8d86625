import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { specialNetworks4 } from '#domain/network/special-networks.ts'
import { hasPipes, tooManyFiles } from '../process/has-pipes.ts'
import { commandEnvironment } from './command-environment.ts'

/** All of IPv6; addresses on the link already have a route, which a lower metric overrides. */
const closedNetworks6 = ['::/0', 'fc00::/7', 'fe80::/64']
const closed6 = (network: string): string => `route add unreachable ${network} metric 1`

/** The device of slirp4netns: the way out, and the resolver. */
const device = 'tap0'
const linked = '10.0.2.0/24'
const gatewayAndResolver = '10.0.2.2/31'

const timeoutMs = 10_000

/**
 * Removes all routes of a sandbox's network except those to public addresses (security.md 30),
 * before its command begins: the command has no capability to change them. Addresses of this host
 * are closed as well. slirp4netns must be running. Rejects with the rest of a sentence.
 */
export async function leaveOnlyPublic(first: number): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  const child = spawn(
    'nsenter',
    [`--target=${first}`, '--user', '--net', '--preserve-credentials', 'ip', '-batch', '-'],
    { env: commandEnvironment, stdio: ['pipe', 'ignore', 'pipe'], timeout: timeoutMs },
  )
  if (!hasPipes(child)) throw new Error(tooManyFiles)
  let output = ''
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString('utf8')))
  child.stdin.on('error', () => undefined)
  child.stdin.end(
    routes()
      .map((line) => `${line}\n`)
      .join(''),
  )
  child.once('error', (error: NodeJS.ErrnoException) =>
    reject(new Error(error.code === 'ENOENT' ? 'nsenter is not installed' : error.message)),
  )
  child.once('close', (code) => {
    if (code === 0) resolve()
    else if (code === 127) reject(new Error('ip is not installed: apt-get install iproute2'))
    else reject(new Error(`its routes cannot be set: ${output.trim().split('\n')[0] ?? code}`))
  })
  return promise
}

function routes(): string[] {
  return [
    `route add ${gatewayAndResolver} dev ${device}`,
    `route del ${linked} dev ${device}`,
    ...specialNetworks4.map((network) => `route add prohibit ${network}`),
    ...ownAddresses().map((address) => `route replace prohibit ${address}/32`),
    // slirp4netns gets no IPv6, so programs use IPv4 at once.
    ...(existsSync('/proc/net/if_inet6') ? closedNetworks6.map(closed6) : []),
  ]
}

/** This host's addresses besides loopback, where services that listen everywhere listen. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, family, internal }) => {
      return family === 'IPv4' && !internal && !address.startsWith('10.0.2.')
    })
    .map(({ address }) => address)
}
