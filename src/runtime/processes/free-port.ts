import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Whether this process could listen there now. `host` is a loopback or wildcard address. */
export function isPortFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      // A missing address family does not make the port unavailable.
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT')
    })
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/**
 * Below 32768: the system uses the higher ones for outgoing connections, one of which could occupy
 * the port of a server that restarts. Temporal's production server stores its ports in two signed
 * bytes.
 */
const portRange = { from: 20_000, to: 32_767 }

/** Finds a port that is free now. The caller tries again if another program takes it. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(portRange.from, portRange.to + 1)
    if (await isPortFree(port, host)) return port
  }
  throw new Error(
    `no free port between ${portRange.from} and ${portRange.to} could be found on ${host}`,
  )
}

/**
 * The preferred port when it is free, else another; undefined: any. With `keep` always the
 * preferred one: for a server whose address others already use.
 */
export async function choosePort(
  preferredPort: number | undefined,
  { host = '127.0.0.1', keep = false }: { host?: string; keep?: boolean } = {},
): Promise<number> {
  if (preferredPort !== undefined && (keep || (await isPortFree(preferredPort, host))))
    return preferredPort
  return findFreePort(host)
}
