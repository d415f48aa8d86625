import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Ports = { postgres?: number; temporal?: number; temporalUi?: number }

/** The ports of the last start: they are asked for again, so that addresses people noted stay right. */
export async function readPorts(dataDir: string): Promise<Ports> {
  try {
    const read = JSON.parse(await readFile(portsFile(dataDir), 'utf8')) as Record<string, unknown>
    const ports: Ports = {}
    for (const name of ['postgres', 'temporal', 'temporalUi'] as const) {
      const port = read[name]
      if (typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536)
        ports[name] = port
    }
    return ports
  } catch {
    return {}
  }
}

export async function writePorts(dataDir: string, ports: Ports): Promise<void> {
  const half = `${portsFile(dataDir)}.new`
  await writeFile(half, `${JSON.stringify(ports)}\n`)
  await rename(half, portsFile(dataDir))
}

function portsFile(dataDir: string): string {
  return join(dataDir, 'ports.json')
}
