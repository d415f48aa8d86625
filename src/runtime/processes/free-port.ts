import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Whether this machine would let us listen there now. `host` is a loopback or wildcard address. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      // An address family that this machine does not have keeps nobody from the port.
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT')
    })
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/**
 * Below 32768: the system gives the higher ones to outgoing connections, and one of those would
 * hold the port of a server that is being started again. Temporal's production server stores its
 * ports in two signed bytes besides.
 */
const portRange = { from: 20_000, to: 32_767 }

/**
 * Finds a port that is free now. Another program may take it first: the caller must be ready to try
 * again.
 */
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
 * The wanted port when it is free, else another. `wanted` undefined: any. With `keep` it is the
 * wanted one, free or not: for a server whose address others have already.
 */
export async function choosePort(
  preferredPort: number | undefined,
  { host = '127.0.0.1', keep = false }: { host?: string; keep?: boolean } = {},
): Promise<number> {
  if (preferredPort !== undefined && (keep || (await isPortFree(preferredPort, host))))
    return preferredPort
  return findFreePort(host)
}
