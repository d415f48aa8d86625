import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../processes/write-whole.ts'

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
  await writeWhole(portsFile(dataDir), `${JSON.stringify(ports)}\n`, 0o644)
}

function portsFile(dataDir: string): string {
  return join(dataDir, 'ports.json')
}
